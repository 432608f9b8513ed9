"""Special addresses: the special-purpose registries of IANA, and the internal addresses of clouds.

The rows are those of the IANA IPv4 and IPv6 Special-Purpose Address Registries (RFC 6890) as of 2025-10-09. Addresses
that other registries of IANA reserve follow, and those that clouds use for themselves. The `ipaddress` modules of
Python 3.11, 3.12 and 3.13 disagree about several rows, so they are not used. If several blocks contain an address, the
longest decides.
"""

from typing import NamedTuple

PUBLIC, PRIVATE, SHARED, LOOPBACK, LINK_LOCAL = "public", "private", "shared", "loopback", "link-local"
MULTICAST, DOCUMENTATION, CLOUD, UNSPECIFIED, RESERVED = (
    "multicast",
    "documentation",
    "cloud",
    "unspecified",
    "reserved",
)
# The host of a source that an administrator names may have one of these classes, and no other.
NAMEABLE = (PUBLIC, PRIVATE, SHARED, LOOPBACK)
CLASSES = (*NAMEABLE, LINK_LOCAL, MULTICAST, DOCUMENTATION, CLOUD, UNSPECIFIED, RESERVED)


class Block(NamedTuple):
    """A block of addresses, its class, its name, and its source. PUBLIC: globally reachable in the registry."""

    network: str
    address_class: str
    name: str
    source: str


IANA_IPV4 = (
    Block("0.0.0.0/8", RESERVED, "This network", "RFC 791 §3.2"),
    Block("0.0.0.0/32", UNSPECIFIED, "This host on this network", "RFC 1122 §3.2.1.3"),
    Block("10.0.0.0/8", PRIVATE, "Private-Use", "RFC 1918"),
    Block("100.64.0.0/10", SHARED, "Shared Address Space", "RFC 6598"),
    Block("127.0.0.0/8", LOOPBACK, "Loopback", "RFC 1122 §3.2.1.3"),
    Block("169.254.0.0/16", LINK_LOCAL, "Link Local", "RFC 3927"),
    Block("172.16.0.0/12", PRIVATE, "Private-Use", "RFC 1918"),
    Block("192.0.0.0/24", RESERVED, "IETF Protocol Assignments", "RFC 6890 §2.1"),
    Block("192.0.0.0/29", RESERVED, "IPv4 Service Continuity Prefix", "RFC 7335"),
    Block("192.0.0.8/32", RESERVED, "IPv4 dummy address", "RFC 7600"),
    Block("192.0.0.9/32", PUBLIC, "Port Control Protocol Anycast", "RFC 7723"),
    Block("192.0.0.10/32", PUBLIC, "Traversal Using Relays around NAT Anycast", "RFC 8155"),
    Block("192.0.0.170/32", RESERVED, "NAT64/DNS64 Discovery", "RFC 8880, RFC 7050 §2.2"),
    Block("192.0.0.171/32", RESERVED, "NAT64/DNS64 Discovery", "RFC 8880, RFC 7050 §2.2"),
    Block("192.0.2.0/24", DOCUMENTATION, "Documentation (TEST-NET-1)", "RFC 5737"),
    Block("192.31.196.0/24", PUBLIC, "AS112-v4", "RFC 7535"),
    Block("192.52.193.0/24", PUBLIC, "AMT", "RFC 7450"),
    Block("192.88.99.0/24", RESERVED, "Deprecated (6to4 Relay Anycast)", "RFC 7526"),  # reachable: not applicable
    Block("192.88.99.2/32", RESERVED, "6a44-relay anycast address", "RFC 6751"),
    Block("192.168.0.0/16", PRIVATE, "Private-Use", "RFC 1918"),
    Block("192.175.48.0/24", PUBLIC, "Direct Delegation AS112 Service", "RFC 7534"),
    Block("198.18.0.0/15", RESERVED, "Benchmarking", "RFC 2544"),
    Block("198.51.100.0/24", DOCUMENTATION, "Documentation (TEST-NET-2)", "RFC 5737"),
    Block("203.0.113.0/24", DOCUMENTATION, "Documentation (TEST-NET-3)", "RFC 5737"),
    Block("240.0.0.0/4", RESERVED, "Reserved", "RFC 1112 §4"),
    Block("255.255.255.255/32", RESERVED, "Limited Broadcast", "RFC 8190, RFC 919 §7"),
)

# Blocks whose addresses embed IPv4 addresses are judged by those: `EMBEDDING` says where they are.
IANA_IPV6 = (
    Block("::1/128", LOOPBACK, "Loopback Address", "RFC 4291"),
    Block("::/128", UNSPECIFIED, "Unspecified Address", "RFC 4291"),
    Block("::ffff:0:0/96", RESERVED, "IPv4-mapped Address", "RFC 4291"),
    Block("64:ff9b::/96", PUBLIC, "IPv4-IPv6 Translat.", "RFC 6052"),
    Block("64:ff9b:1::/48", RESERVED, "IPv4-IPv6 Translat.", "RFC 8215"),
    Block("100::/64", RESERVED, "Discard-Only Address Block", "RFC 6666"),
    Block("100:0:0:1::/64", RESERVED, "Dummy IPv6 Prefix", "RFC 9780"),
    Block("2001::/23", RESERVED, "IETF Protocol Assignments", "RFC 2928"),
    Block("2001::/32", RESERVED, "TEREDO", "RFC 4380, RFC 8190"),  # reachable: not applicable
    Block("2001:1::1/128", PUBLIC, "Port Control Protocol Anycast", "RFC 7723"),
    Block("2001:1::2/128", PUBLIC, "Traversal Using Relays around NAT Anycast", "RFC 8155"),
    Block("2001:1::3/128", PUBLIC, "DNS-SD Service Registration Protocol Anycast", "RFC 9665"),
    Block("2001:2::/48", RESERVED, "Benchmarking", "RFC 5180, RFC Errata 1752"),
    Block("2001:3::/32", PUBLIC, "AMT", "RFC 7450"),
    Block("2001:4:112::/48", PUBLIC, "AS112-v6", "RFC 7535"),
    Block("2001:10::/28", RESERVED, "Deprecated (previously ORCHID)", "RFC 4843"),
    Block("2001:20::/28", PUBLIC, "ORCHIDv2", "RFC 7343"),
    Block("2001:30::/28", PUBLIC, "Drone Remote ID Protocol Entity Tags (DETs) Prefix", "RFC 9374"),
    Block("2001:db8::/32", DOCUMENTATION, "Documentation", "RFC 3849"),
    Block("2002::/16", RESERVED, "6to4", "RFC 3056"),  # reachable: not applicable
    Block("2620:4f:8000::/48", PUBLIC, "Direct Delegation AS112 Service", "RFC 7534"),
    Block("3fff::/20", DOCUMENTATION, "Documentation", "RFC 9637"),
    Block("5f00::/16", RESERVED, "Segment Routing (SRv6) SIDs", "RFC 9602"),
    Block("fc00::/7", PRIVATE, "Unique-Local", "RFC 4193, RFC 8190"),
    Block("fe80::/10", LINK_LOCAL, "Link-Local Unicast", "RFC 4291"),
)

# Blocks that the registries of address space and of multicast addresses reserve.
IANA_OTHERS = (
    Block("0.0.0.0/0", PUBLIC, "IPv4 address space", "IANA IPv4 Address Space Registry"),
    Block("224.0.0.0/4", MULTICAST, "Multicast", "RFC 5771"),
    Block("::/0", RESERVED, "Not assigned for global unicast", "IANA IPv6 Address Space Registry"),
    Block("2000::/3", PUBLIC, "Global Unicast", "RFC 4291"),
    Block("::/96", RESERVED, "IPv4-compatible Address (deprecated)", "RFC 4291 §2.5.5.1"),
    Block("::ffff:0:0:0/96", RESERVED, "IPv4-translated Address (deprecated)", "RFC 2765 §2.1"),
    Block("3ffe::/16", RESERVED, "6bone (returned)", "RFC 3701"),
    Block("fec0::/10", PRIVATE, "Site-Local (deprecated)", "RFC 3879"),
    Block("ff00::/8", MULTICAST, "Multicast", "RFC 4291 §2.7"),
)

# Services of clouds for their own machines: metadata, credentials, internal services. Most of it is in no registry.
CLOUDS = (
    Block("169.254.169.254/32", CLOUD, "Instance metadata", "AWS, Azure, Google Cloud, OCI, DigitalOcean, Hetzner"),
    Block("169.254.169.253/32", CLOUD, "Resolver of a VPC", "AWS: VPC User Guide, DNS attributes"),
    Block("169.254.169.123/32", CLOUD, "Time service", "AWS: EC2 User Guide, Amazon Time Sync Service"),
    Block("169.254.170.2/32", CLOUD, "Credentials of ECS tasks", "AWS: ECS Developer Guide, task IAM role"),
    Block("169.254.170.23/32", CLOUD, "Credentials of EKS pods", "AWS: EKS User Guide, Pod Identity"),
    Block("fd00:ec2::/32", CLOUD, "Metadata, credentials, resolver, time", "AWS: EC2 User Guide, IMDS over IPv6"),
    Block("168.63.129.16/32", CLOUD, "WireServer", "Azure: What is IP address 168.63.129.16?"),
    Block("169.254.169.252/32", CLOUD, "Metadata of GKE workloads", "Google Cloud: GKE, Workload Identity"),
    Block("fd20:ce::254/128", CLOUD, "Instance metadata", "Google Cloud: Compute Engine, metadata server"),
    Block("100.100.100.200/32", CLOUD, "Instance metadata", "Alibaba Cloud: ECS, instance metadata"),
    Block("100.100.2.136/31", CLOUD, "Resolvers of a VPC", "Alibaba Cloud: VPC, default DNS servers"),
    Block("100.100.2.138/32", CLOUD, "Resolver of a VPC", "Alibaba Cloud: VPC, default DNS servers"),
    Block("fd00:100::100:200/128", CLOUD, "Instance metadata", "Alibaba Cloud: ECS, instance metadata over IPv6"),
    Block("192.0.0.192/32", CLOUD, "Instance metadata", "Oracle: Compute Classic, instance metadata"),
    Block("fd00:c1::a9fe:a9fe/128", CLOUD, "Instance metadata", "Oracle: OCI, instance metadata over IPv6"),
    Block("169.254.0.23/32", CLOUD, "Instance metadata", "Tencent Cloud: CVM, instance metadata"),
    Block("169.254.10.10/32", CLOUD, "Instance metadata", "Tencent Cloud: CVM, instance metadata"),
    Block("169.254.42.42/32", CLOUD, "Instance metadata", "Scaleway: cloud-init datasource"),
    Block("fd00:42::42/128", CLOUD, "Instance metadata", "Scaleway: cloud-init datasource"),
    Block("169.254.169.255/32", CLOUD, "Instance metadata", "Akamai (Linode): Metadata Service"),
    Block("fd00:a9fe:a9fe::1/128", CLOUD, "Instance metadata", "Akamai (Linode): Metadata Service"),
    Block("fe80::a9fe:a9fe/128", CLOUD, "Instance metadata", "OpenStack Nova: metadata over IPv6"),
    Block("161.26.0.0/16", CLOUD, "Infrastructure services", "IBM Cloud: VPC, service endpoints"),
    Block("166.8.0.0/14", CLOUD, "Service endpoints", "IBM Cloud: VPC, service endpoints"),
)

BLOCKS = (*IANA_IPV4, *IANA_IPV6, *IANA_OTHERS, *CLOUDS)


class Embedding(NamedTuple):
    """A block of IPv6 addresses that embed IPv4 addresses: how far each is shifted left; `is_inverted`: bit by bit."""

    network: str
    shifts: tuple[tuple[int, bool], ...]
    source: str


EMBEDDING = (
    Embedding("::ffff:0:0/96", ((0, False),), "RFC 4291 §2.5.5.2"),
    Embedding("::/96", ((0, False),), "RFC 4291 §2.5.5.1"),
    Embedding("::ffff:0:0:0/96", ((0, False),), "RFC 2765 §2.1"),
    Embedding("64:ff9b::/96", ((0, False),), "RFC 6052 §2.1"),
    Embedding("2002::/16", ((80, False),), "RFC 3056 §2"),
    Embedding("2001::/32", ((0, True), (64, False)), "RFC 4380 §4"),  # Teredo: the client's, and its server's
)

# Names with another meaning on each machine or in each network: foreign answers may not lead to them by a proxy.
LOCAL_NAMES = (
    ("localhost", "RFC 6761 §6.3"),
    ("local", "RFC 6762"),
    ("internal", "ICANN resolution 2024.07.29.06; metadata.google.internal among them"),
    ("home.arpa", "RFC 8375"),
    ("intranet", "RFC 6762 appendix G"),
    ("lan", "RFC 6762 appendix G"),
    ("corp", "RFC 6762 appendix G"),
    ("home", "RFC 6762 appendix G"),
    ("private", "RFC 6762 appendix G"),
    ("onion", "RFC 7686"),
    ("metadata.goog", "Google Cloud: Compute Engine, metadata server"),
    ("metadata.tencentyun.com", "Tencent Cloud: CVM, instance metadata"),
    ("metadata.packet.net", "Equinix Metal: metadata"),
    ("metadata.platformequinix.com", "Equinix Metal: metadata"),
)
