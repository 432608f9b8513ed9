"""The states of a list that is being walked, and the transitions between them. Pure.

             +---------- its end, as it should be ----------------+
             |                                                    v
    --> PAGES --- a fallback step --> WINDOW <--> SINGLY ------> OVER
             |                          |  ^        |             ^
             |                          v  |        v             |
             +-- its numbers do not --> CHECK ---- whole, or not -+
                 fit what came

Every request is made in one of these states, and each answer leads to the next one. The state is a field of the
position of the list (`phase`), which is committed with every answer. So a killed harvest continues in it.
"""

from __future__ import annotations

from collections.abc import Mapping

from harvester.sources.oai_pmh.list_state import Phase

# From a state, to which others, and when.
TRANSITIONS: Mapping[Phase, Mapping[Phase, str]] = {
    Phase.PAGES: {
        Phase.PAGES: "a further token; a request or a token that is sent in another way; a list that begins again",
        Phase.WINDOW: "a refused token, a page that cannot be fetched, a list that loops, a source that needs dates",
        Phase.SINGLY: "ListRecords has brought nothing, or asking by date does not help",
        Phase.CHECK: "the end, where a number, a repetition or a change contradicts it",
        Phase.OVER: "the end",
    },
    Phase.WINDOW: {
        Phase.WINDOW: "a further token, the next window, half of this one, or the rest of it from its last date on",
        Phase.PAGES: "the source ignores dates, so the list continues or begins again as one; a list that is given up",
        Phase.SINGLY: "a window of one day or second that cannot be fetched",
        Phase.CHECK: "the last window has ended, and something contradicts the end of the list",
        Phase.OVER: "the last window has ended",
    },
    Phase.SINGLY: {
        Phase.SINGLY: "the next record",
        Phase.WINDOW: "all records of the window were asked for; ListIdentifiers failed, too; a list that is given up",
        Phase.PAGES: "a list that is given up goes back to where its failures began",
        Phase.CHECK: "all records of the last window were asked for, and something contradicts the end of the list",
        Phase.OVER: "all records were asked for",
    },
    Phase.CHECK: {
        Phase.CHECK: "the next record that is named and has not come",
        Phase.WINDOW: "fewer records are named than were announced: the list is asked for in two halves",
        Phase.OVER: "no record is missing, or the run says which are",
    },
    Phase.OVER: {},
}
