"""`python -m pruner_engine.cli`."""

from pruner_engine.cli.main import main

main()
