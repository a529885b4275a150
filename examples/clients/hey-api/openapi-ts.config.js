/** @type {import("@hey-api/openapi-ts").UserConfig} */
export default {
  plugins: [{ name: "@hey-api/client-fetch", throwOnError: true }],
};
