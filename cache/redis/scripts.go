package redis

import (
	"context"

	"github.com/redis/go-redis/v9"
)

// The scripts have one key each, so that any node of a cluster runs them.
//
// Versions are compared as two numbers of 32 bits: Lua's numbers hold no int64, and its strings compare
// by the server's locale. A reply that is an error, as for a key of another type, is a table.
var (
	// putScript sets ARGV[1] for ARGV[3] milliseconds unless what is there begins with the same mark and
	// has no lower version. ARGV[2] is the header's beginning, mark and version.
	putScript = redis.NewScript(`
local there = redis.pcall('GETRANGE', KEYS[1], 0, 11)
if type(there) == 'string' and #there == 12 and string.sub(there, 1, 4) == string.sub(ARGV[2], 1, 4) then
  local high, low = struct.unpack('>I4I4', there, 5)
  local newHigh, newLow = struct.unpack('>I4I4', ARGV[2], 5)
  if high > newHigh or (high == newHigh and low >= newLow) then return 0 end
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[3])
return 1`)

	// dropScript removes what still begins with ARGV[1].
	dropScript = redis.NewScript(`
if redis.pcall('GETRANGE', KEYS[1], 0, #ARGV[1] - 1) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0`)
)

// call is one run of a script.
type call struct {
	key       string
	arguments []any
}

// runAll runs a script for each call, all in one round trip; in two where a server has forgotten the
// script, as it may at any time.
func (c *Cache) runAll(ctx context.Context, script *redis.Script, calls []call) []*redis.Cmd {
	results := make([]*redis.Cmd, len(calls))
	all := c.client.Pipeline()
	for i, one := range calls {
		results[i] = script.EvalSha(ctx, all, []string{one.key}, one.arguments...)
	}
	_, _ = all.Exec(ctx) // each result has its own error
	again := c.client.Pipeline()
	for i, one := range calls {
		if redis.HasErrorPrefix(results[i].Err(), "NOSCRIPT") {
			results[i] = script.Eval(ctx, again, []string{one.key}, one.arguments...)
		}
	}
	_, _ = again.Exec(ctx)
	return results
}
