package egress

import (
	"net/netip"
	"testing"
)

func TestReachable(t *testing.T) {
	allowed := []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16"), netip.MustParsePrefix("fd00:1::/32")}
	for text, want := range map[string]bool{
		"8.8.8.8": true, "2606:4700::1": true, "::ffff:8.8.8.8": true, "64:ff9b::808:808": true, "168.63.129.17": true,
		"10.1.2.3": true, "::ffff:10.1.2.3": true, "64:ff9b::a01:203": true, "fd00:1::5": true,
		"10.2.0.1": false, "172.16.0.1": false, "192.168.1.1": false, "fc00::1": false, "fd00:2::1": false, "fec0::1": false,
		"127.0.0.1": false, "127.8.9.10": false, "::1": false, "0.0.0.0": false, "::": false, "0.1.2.3": false,
		"169.254.169.254": false, "fd00:ec2::254": false, "168.63.129.16": false, "100.100.100.200": false, "192.0.0.192": false,
		"fe80::1": false, "fe80::1%eth0": false, "100.64.0.1": false, "198.18.0.1": false,
		"224.0.0.1": false, "ff02::1": false, "255.255.255.255": false, "240.0.0.1": false,
		"::ffff:127.0.0.1": false, "::ffff:169.254.169.254": false, "::7f00:1": false, "64:ff9b::7f00:1": false,
		"64:ff9b::a9fe:a9fe": false, "64:ff9b:1::808:808": false, "2002:7f00:1::": false, "2001::1": false,
	} {
		if got := reachable(netip.MustParseAddr(text), allowed); got != want {
			t.Errorf("reachable(%s) is %t", text, got)
		}
	}
}
