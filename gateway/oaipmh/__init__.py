"""The OAI-PMH 2.0 provider. `arguments`, `verbs`, `envelope` and `token` are pure; `routes` serves them by HTTP."""
