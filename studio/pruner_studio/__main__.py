"""`python -m pruner_studio` opens the window, as `pruner-studio` does."""

import sys

from pruner_studio.app import main

sys.exit(main())
