import { defineConfig } from "vite";

// `npm run dev` serves the page with hot reload. The backend that scripts/example started answers the rest.
const backend = process.env["APP_URL"] ?? "http://127.0.0.1:8110";

export default defineConfig({
  build: { target: "es2022" },
  // The linked package must not bring a React of its own.
  resolve: { dedupe: ["react"] },
  server: { host: "127.0.0.1", port: 5173, strictPort: true, proxy: { "/api": backend, "/config.json": backend } },
});
