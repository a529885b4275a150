// The library is a file of its own, which is fetched once a stream is to be played by it.
export { default } from "hls.js";
