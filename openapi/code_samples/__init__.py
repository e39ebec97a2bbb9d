"""Code that calls each operation, in three languages, from the operation's own example."""

from openapi.code_samples import curl, python, typescript
from openapi.code_samples.call import call_of
from openapi.operations import Document

_LANGUAGES = (
    ("shell", "curl", curl.code),
    ("python", "Python", python.code),
    ("typescript", "TypeScript", typescript.code),
)


def add_code_samples(document: Document) -> None:
    """Adds `x-codeSamples` to every operation, as Redoc and Scalar read it.

    The address and the key come from the environment: `STOREPOST_URL` ends in `/v1`, and
    `STOREPOST_KEY` is an API key or a session token.
    """
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            call = call_of(document, path, method, operation)
            operation["x-codeSamples"] = [
                {"lang": lang, "label": label, "source": code(call)}
                for lang, label, code in _LANGUAGES
            ]
