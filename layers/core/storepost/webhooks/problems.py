"""What can be wrong with a webhook."""

from storepost.problems import Unauthenticated


class SignatureInvalid(Unauthenticated):
    """It doesn't carry the platform's signature of its body."""

    code = "signature_invalid"
    title = "The signature is not the platform's"
    mend = "Sign the body's bytes with the app's client secret, as the platform does."
