"""When a page has nothing left to show."""

from __future__ import annotations

from pruner_studio.pages.page import Page


def rests(page: Page) -> bool:
    """No refresh of it is due or under way."""
    refreshing = page.refreshing
    return not (refreshing._stale or refreshing._timer.isActive() or refreshing._next_step.isActive())
