package redis

import (
	"context"

	"github.com/redis/go-redis/v9"
)

// Each script has one key, so that it can run on any node of a cluster.
//
// The scripts compare versions as two 32-bit numbers: numbers in Lua cannot represent every int64, and Lua compares
// strings by the locale of the server. An error reply, as for a key of another type, is a table.
var (
	// putScript sets the key to ARGV[1] for ARGV[3] milliseconds, unless the current value starts with the same mark
	// and its version is not lower. ARGV[2] is the start of the header: the mark and the version.
	putScript = redis.NewScript(`
local there = redis.pcall('GETRANGE', KEYS[1], 0, 11)
if type(there) == 'string' and #there == 12 and string.sub(there, 1, 4) == string.sub(ARGV[2], 1, 4) then
  local high, low = struct.unpack('>I4I4', there, 5)
  local newHigh, newLow = struct.unpack('>I4I4', ARGV[2], 5)
  if high > newHigh or (high == newHigh and low >= newLow) then return 0 end
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[3])
return 1`)

	// dropScript deletes the key if its value still starts with ARGV[1].
	dropScript = redis.NewScript(`
if redis.pcall('GETRANGE', KEYS[1], 0, #ARGV[1] - 1) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0`)
)

// call is one execution of a script.
type call struct {
	key       string
	arguments []any
}

// runAll runs a script for each call in one round trip, or in two if a server has lost the script, which can happen at
// any time.
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
