"""What a monitoring system asks: counts of requests, kept by each web worker, and the state of the instance.

`counting` counts in a web worker; `state` reads the instance; `application` adds up the counts of all workers and
answers `/metrics`, on the address of the setting `metrics_listen` alone. The names follow the conventions of
Prometheus: base units, `_total` for what only grows, few labels.
"""
