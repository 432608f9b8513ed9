"""Metrics for monitoring: counts of requests by each web worker, and the state of the instance.

`counting` counts in a web worker, and `state` reads the instance. `application` adds up the counts of all workers and
answers `/metrics`, only on the address in the setting `metrics_listen`. The names follow the conventions of Prometheus:
base units, `_total` for counters, few labels.
"""
