"""`python -m storepost_client`: the command line."""

import sys

from storepost_client.cli import main

sys.exit(main())
