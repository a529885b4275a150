// Package limit limits how much of the service one client, one address or one account may use: request rates per
// minute, and request quotas per month. Requests beyond a limit get status 429 with Retry-After and the RateLimit
// headers of draft-ietf-httpapi-ratelimit-headers.
//
// # Rates
//
// A rate applies to a sliding window: the count at an instant is the count of the current minute plus the part of the
// previous minute's count that a window of 60 s still covers. In any s seconds up to a minute, at most rate*(1+s/60)+1
// requests pass, and a burst at the edge of two minutes gains nothing. Refused requests do not count.
//
// Processes share their counts through cache.Counters, in one of two ways. A process counts API requests in memory and
// exchanges its counts in the background, every 150 ms, and at once when a count reaches a sixteenth of the rate. So a
// process does not know what the others have let pass since: beyond the rate, each of the others may let a sixteenth of
// it pass, plus what arrives during an exchange, but never more than the rate itself. Attempts to sign in and to get a
// token are rare and worth guarding: each asks the shared counters first, and waits up to 150 ms for them. While the
// counters do not respond, each process counts alone.
//
// # Quotas
//
// A process counts the requests of accounts with a quota in memory and adds them to the store each second; the store
// returns the totals of all processes. Beyond the quota, at most the requests of one second at the other processes
// pass. A process that crashes loses up to a second's counts, in the account's favor. If the store's response is lost,
// the process sends the counts again, and they may count twice.
package limit
