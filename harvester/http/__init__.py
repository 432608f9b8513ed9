"""The one seam to the network: `fetching.Web`. Nothing else in the harvester opens a connection.

`messages` has the two values at the seam: a request, and its answer. `address_guard` decides where a request may go.
"""
