// Package limit bounds how much of the service one client, one address or one account may use: rates of
// requests by the minute, and quotas of requests by the month. What goes beyond is refused with status
// 429, Retry-After and the RateLimit headers of draft-ietf-httpapi-ratelimit-headers.
//
// # Rates
//
// A rate holds over a sliding window: what counts at an instant is the count of the current minute, and of
// that of the minute before as large a part as a window of 60 s still covers. So in any s seconds up to a
// minute at most rate*(1+s/60)+1 requests pass, and none of a burst at the edge of two minutes. A request
// that is refused counts for nothing.
//
// Processes share their counts through cache.Counters, in one of two ways. Requests to the API are counted
// in the process; what it has counted is exchanged behind the requests, every 150 ms, and at once where it
// comes to a sixteenth of the rate. So a process knows nothing of what the others let pass since: beyond
// the rate, each of the others may let a sixteenth of it pass, and what arrives while an exchange is under
// way, never more than the rate itself. Attempts to sign in and to get a token are rare and worth guarding:
// each asks the shared counters before it goes on, and waits up to 150 ms for them. While they do not
// answer, each process counts for itself.
//
// # Quotas
//
// Requests of an account that has a quota are counted in the process and added to the store each second;
// the store's answer tells what the other processes have added. So beyond the quota pass at most the
// requests of one second at the other processes. A process that dies loses up to a second's counts, in the
// account's favour. Where the store's answer is lost, what was sent is sent again and may count twice.
package limit
