"""What can be wrong with a webhook."""

from storepost.values.problems import Unauthenticated


class SignatureInvalid(Unauthenticated):
    """It isn't signed by the platform, or not as a webhook of the shop that its header names."""

    code = "signature_invalid"
    title = "The signature is not the platform's"
    remedy = (
        "Sign the body's bytes with the app's client secret, as the platform does. The body is a "
        "JSON object, and the shop that it names is the header's."
    )
