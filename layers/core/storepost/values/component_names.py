"""Names of the description's components: a class's own name where it is clear outside its package.

A class is named within its package (`coupons.model.CodeStatus`); the components of the description
share one namespace, and readers see them without the package, in generated types.
"""

import re
from typing import Any

PUBLIC_NAMES = {
    # what is sent, and to whom
    "Channel": "MessageChannel",
    "Obstacle": "MarketingObstacle",
    "Platform": "StorePlatform",
    # accounts
    "AddressChange": "EmailAddressChange",
    "AppSetUp": "AuthenticatorAppSetup",
    "AuthorType": "DefinitionAuthorType",
    "ChosenWorkspace": "WorkspaceChoice",
    "CodeProof": "TwoFactorCode",
    "ForgottenPassword": "PasswordResetRequest",
    "KeyScope": "ApiKeyScope",
    "KeyStatus": "ApiKeyStatus",
    "LocaleUpdate": "WorkspaceLocaleUpdate",
    "NamedWorkspace": "WorkspaceReference",
    "NewLocale": "NewWorkspaceLocale",
    "PasswordChoice": "PasswordReset",
    "PasswordProof": "PasswordConfirmation",
    "Role": "MemberRole",
    "SecondFactor": "TwoFactorMethodName",
    "SecondStep": "TwoFactorVerification",
    "SecondStepNeeded": "TwoFactorRequired",
    "SignUpBegun": "SignUpStarted",
    # stores and their imports
    "ImportFailure": "StoreImportFailure",
    "ImportProblem": "StoreImportProblem",
    "ImportRequester": "StoreImportRequester",
    "ImportScope": "StoreImportScope",
    "ImportStage": "StoreImportStage",
    "ImportStatus": "StoreImportStatus",
    "ImportedCounts": "StoreImportCounts",
    "LatestImportStatus": "LatestStoreImportStatus",
    "LinkedStore": "ConnectLinkStore",
    "NewImport": "NewStoreImport",
    # people
    "Customer": "CustomerBody",
    "LocaleOrigin": "ProfileLocaleOrigin",
    "LocaleSignal": "ProfileLocaleSignal",
    "LocaleSource": "ProfileLocaleSource",
    "MergeCause": "ProfileMergeCause",
    "MergeRequest": "ProfileMergeRequest",
    "UpsertProfile": "ProfileUpsert",
    # consent
    "ChangeFault": "ConsentImportErrorCode",
    "EvidenceInput": "ConsentEvidenceInput",
    "FailedChange": "ConsentImportError",
    "ListedWriteBack": "WriteBackSummary",
    "MessageProof": "WebhookConsentProof",
    "ProofInput": "ConsentProofInput",
    "SkipReason": "WriteBackSkipReason",
    "Unsubscribing": "UnsubscribeMethod",
    # events and suppressions
    "EventFault": "EventErrorCode",
    "FailedEvent": "EventError",
    "FailedSuppression": "SuppressionImportError",
    "SuppressionFault": "SuppressionImportErrorCode",
    # orders and products
    "ChangeStatus": "ProductPriorityChangeStatus",
    "FinancialStatus": "OrderFinancialStatus",
    "FulfillmentStatus": "OrderFulfillmentStatus",
    "MissingField": "MissingProductField",
    "PriorityChange": "ProductPriorityChange",
    "PriorityChangeProduct": "ProductPriorityChangeProduct",
    "PriorityCounts": "ProductPriorityChangeCounts",
    "PriorityFieldChange": "ProductPriorityFieldChange",
    "PriorityRules": "ProductPriorityRules",
    "PrioritySource": "ProductPrioritySource",
    "PriorityValue": "ProductPriorityValue",
    "PriorityVariant": "ProductPriorityVariant",
    "SourceKind": "ProductSourceKind",
    "Stock": "ProductStockStatus",
    # feeds
    "CustomField": "FeedCustomField",
    "LatestFeedImport": "LatestFeedImportStatus",
    "MappedTo": "FeedColumnMapping",
    # coupons
    "CodeAssignment": "CouponCodeAssignment",
    "CodeOrder": "CouponCodeOrder",
    "CodeProfile": "CouponCodeProfile",
    "CodeStatus": "CouponCodeStatus",
    "NewValidUntil": "NewCouponValidUntil",
    "Reissue": "CouponReissue",
    "ValidForDays": "CouponValidForDays",
    "ValidForEver": "CouponValidForever",
    "ValidUntil": "CouponValidUntil",
    "ValueType": "CouponValueType",
    # definitions and proposals
    "JsonPatchOp": "JsonPatchOperationType",
    "JsonSchema": "DefinitionJsonSchema",
    "ProposalStatus": "ChangeProposalStatus",
    "ReviewBody": "ChangeProposalReview",
    "Reviewer": "ChangeProposalReviewer",
    # webhooks
    "DeliveryStatus": "WebhookDeliveryStatus",
    "DisabledReason": "WebhookEndpointDisabledReason",
    "EndpointStatus": "WebhookEndpointStatus",
    "GoneConsentChange": "ErasedConsentChange",
    "GoneCouponCode": "DeletedCouponCode",
    "GoneFeedImport": "DeletedFeedImport",
    "GoneMember": "RemovedMember",
    "GoneMergedProfile": "ErasedMergedProfile",
    "GoneOfStore": "DeletedStoreResource",
    "GoneResource": "DeletedResource",
    "QueuedDeliveries": "QueuedWebhookDeliveries",
}
"""A class's name in the description, where that isn't its own name."""

_NAMING = frozenset({"$defs", "paths", "properties", "schemas"})
"""Keys of JSON Schema and OpenAPI whose values have names of the interface as keys."""
_OF_KIND = re.compile(r"(\w+)_(\w+)_")
"""Pydantic's name of a generic class with its parameter, such as a page: Page_Order_."""


def public_name(name: str) -> str:
    """Returns the component's name for pydantic's name of a class."""
    if generic := _OF_KIND.fullmatch(name):
        return f"{generic[1]}Of{public_name(generic[2])}"
    shorter = name.removesuffix("Shape") or name
    return PUBLIC_NAMES.get(shorter, shorter)


def publicly_named(value: Any, place: str, *, names: bool = False) -> Any:  # noqa: ANN401 - JSON
    """Returns schemas as people would write them: no made-up titles, whole numbers, public names.

    `place` is the beginning of references to schemas, such as `#/components/schemas/`. `names` says
    that the keys are names of the interface, not keywords of JSON Schema or OpenAPI.
    """
    if isinstance(value, dict):
        return {
            (public_name(key) if names else key): publicly_named(
                inner, place, names=key in _NAMING and not names
            )
            for key, inner in value.items()
            if names or key != "title"
        }
    if isinstance(value, list):
        return [publicly_named(inner, place) for inner in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str) and value.startswith(place):
        return place + public_name(value.removeprefix(place))
    return value
