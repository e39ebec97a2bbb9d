"""`make postman`: writes the collection that the service serves to a file."""

import json
import sys

from storepost.api.reference.site.postman import collection

ADDRESS = "http://127.0.0.1:8000/v1"
"""Where `make run` serves."""

if __name__ == "__main__":
    address = sys.argv[1] if len(sys.argv) > 1 else ""
    json.dump(collection(address or ADDRESS), sys.stdout, indent=1, ensure_ascii=False)
