import { defineConfig } from "@hey-api/openapi-ts";

export default defineConfig({
  input: "../.made/openapi.json",
  output: "src/generated",
  plugins: [
    { name: "@hey-api/client-fetch", throwOnError: true },
    "@hey-api/typescript",
    {
      name: "@hey-api/sdk",
      responseStyle: "data",
      operations: { containerName: "Operations", nesting: "operationId", strategy: "single" },
    },
  ],
});
