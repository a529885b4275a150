// Package media serves what players fetch without a token: HLS streams under signed addresses, and
// the posters and previews of the streams that the binary carries.
//
// A stream's address is /v1/streams/{token}/{video}/{file}. The token is part of the path, so that
// the relative addresses in a playlist inherit it: one signature is good for the playlist and all
// its segments, as often as they are fetched, until it expires.
package media
