"""The tables of special addresses: one row for each row of the registries of IANA and of the list of clouds."""

from ipaddress import ip_address, ip_network

from gateway.core.address_rules import class_of, is_local_name
from gateway.core.special_addresses import CLASSES, blocks, embedding, local_names
from tests.rows import each_row

# (row, an address in it, what it must be): written from the registries themselves, not from our table.
# Of the two rows of Teredo, one has a client that is loopback, and the other a server that is private.
ROWS = [
    tuple(row.split())
    for row in """
0.0.0.0/8 0.1.2.3 reserved | 0.0.0.0/32 0.0.0.0 unspecified | 10.0.0.0/8 10.255.0.1 private
100.64.0.0/10 100.127.255.254 shared | 127.0.0.0/8 127.8.8.8 loopback | 169.254.0.0/16 169.254.1.1 link-local
172.16.0.0/12 172.31.255.255 private | 192.0.0.0/24 192.0.0.100 reserved | 192.0.0.0/29 192.0.0.7 reserved
192.0.0.8/32 192.0.0.8 reserved | 192.0.0.9/32 192.0.0.9 public | 192.0.0.10/32 192.0.0.10 public
192.0.0.170/32 192.0.0.170 reserved | 192.0.0.171/32 192.0.0.171 reserved | 192.0.2.0/24 192.0.2.9 documentation
192.31.196.0/24 192.31.196.9 public | 192.52.193.0/24 192.52.193.9 public | 192.88.99.0/24 192.88.99.1 reserved
192.88.99.2/32 192.88.99.2 reserved | 192.168.0.0/16 192.168.255.1 private | 192.175.48.0/24 192.175.48.9 public
198.18.0.0/15 198.19.255.255 reserved | 198.51.100.0/24 198.51.100.9 documentation
203.0.113.0/24 203.0.113.9 documentation | 240.0.0.0/4 241.1.1.1 reserved
255.255.255.255/32 255.255.255.255 reserved | ::1/128 ::1 loopback | ::/128 :: unspecified
::ffff:0:0/96 ::ffff:10.0.0.1 private | ::ffff:0:0/96 ::ffff:8.8.8.8 public | 64:ff9b::/96 64:ff9b::7f00:1 loopback
64:ff9b::/96 64:ff9b::808:808 public | 64:ff9b:1::/48 64:ff9b:1::808:808 reserved | 100::/64 100::9 reserved
100:0:0:1::/64 100:0:0:1::9 reserved | 2001::/23 2001:1ff::9 reserved
2001::/32 2001:0:4136:e378:8000:63bf:80ff:fffe loopback | 2001::/32 2001:0:a00:1:8000:63bf:f7f7:f7f7 private
2001:1::1/128 2001:1::1 public | 2001:1::2/128 2001:1::2 public | 2001:1::3/128 2001:1::3 public
2001:2::/48 2001:2::9 reserved | 2001:3::/32 2001:3::9 public | 2001:4:112::/48 2001:4:112::9 public
2001:10::/28 2001:1f::9 reserved | 2001:20::/28 2001:2f::9 public | 2001:30::/28 2001:3f::9 public
2001:db8::/32 2001:db8::9 documentation | 2002::/16 2002:7f00:1:: loopback | 2002::/16 2002:808:808:: public
2620:4f:8000::/48 2620:4f:8000::9 public | 3fff::/20 3fff:fff::9 documentation | 5f00::/16 5f00::9 reserved
fc00::/7 fdff::9 private | fe80::/10 febf::9 link-local | 0.0.0.0/0 8.8.8.8 public
224.0.0.0/4 239.255.255.250 multicast | ::/0 4000::1 reserved | 2000::/3 2606:4700:4700::1111 public
::/96 ::7f00:1 loopback | ::ffff:0:0:0/96 ::ffff:0:a9fe:a9fe cloud | 3ffe::/16 3ffe::9 reserved
fec0::/10 fec0::9 private | ff00::/8 ff02::1 multicast | 169.254.169.254/32 169.254.169.254 cloud
169.254.169.253/32 169.254.169.253 cloud | 169.254.169.123/32 169.254.169.123 cloud
169.254.170.2/32 169.254.170.2 cloud | 169.254.170.23/32 169.254.170.23 cloud | fd00:ec2::/32 fd00:ec2::254 cloud
168.63.129.16/32 168.63.129.16 cloud | 169.254.169.252/32 169.254.169.252 cloud
fd20:ce::254/128 fd20:ce::254 cloud | 100.100.100.200/32 100.100.100.200 cloud
100.100.2.136/31 100.100.2.136 cloud | 100.100.2.138/32 100.100.2.138 cloud
fd00:100::100:200/128 fd00:100::100:200 cloud | 192.0.0.192/32 192.0.0.192 cloud
fd00:c1::a9fe:a9fe/128 fd00:c1::a9fe:a9fe cloud | 169.254.0.23/32 169.254.0.23 cloud
169.254.10.10/32 169.254.10.10 cloud | 169.254.42.42/32 169.254.42.42 cloud | fd00:42::42/128 fd00:42::42 cloud
169.254.169.255/32 169.254.169.255 cloud | fd00:a9fe:a9fe::1/128 fd00:a9fe:a9fe::1 cloud
fe80::a9fe:a9fe/128 fe80::a9fe:a9fe cloud | 161.26.0.0/16 161.26.0.10 cloud | 166.8.0.0/14 166.9.0.10 cloud
""".replace("\n", "|")
    .strip("|")
    .split("|")
]


@each_row("row, address, expected", ROWS)
def test_each_row_of_the_tables_decides_of_its_addresses(row, address, expected):
    assert ip_address(address) in ip_network(row)
    assert class_of(ip_address(address)) == expected


def test_each_row_of_the_tables_has_a_test_and_a_source():
    assert {block.network for block in blocks()} == {row for row, _, _ in ROWS}
    assert all(block.name and block.source and block.address_class in CLASSES for block in blocks())
    assert {entry.network for entry in embedding()} <= {block.network for block in blocks()}


@each_row("name", local_names())
def test_each_local_name_is_one_with_all_below_it(name):
    assert is_local_name(name)
    assert is_local_name(f"a.{name.upper()}.")
    assert not is_local_name(f"{name}.example.org")
