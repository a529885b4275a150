// The library is a separate file, which is loaded when a stream needs it.
export { default } from "hls.js";
