// Package media serves the files that players fetch without a token: HLS streams under signed URLs, and the posters and
// previews of the streams that the binary contains.
//
// The URL of a stream is /v1/streams/{token}/{video}/{file}. The token is part of the path, so the relative URLs in a
// playlist inherit it: one signature covers the playlist and all its segments, any number of times, until it expires.
package media
