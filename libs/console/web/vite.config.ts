import optimizeLocales from "@react-aria/optimize-locales-plugin";
import { defineConfig } from "vite";

/** Libraries and the shared parts of the console have files of their own. Areas, languages and charts are loaded when they are needed. */
function chunkOf(id: string): string | undefined {
  if (/node_modules\/(react|react-dom|scheduler)\//.test(id)) return "react";
  if (/node_modules\/(react-aria|react-stately|react-aria-components|@internationalized)/.test(id)) return "aria";
  if (/node_modules\/uplot\/|\/src\/ui\/chart\.tsx$/.test(id)) return "chart";
  if (/\/src\/(ui|session|shell|router|i18n)\//.test(id) || /node_modules\/(@tanstack|oauth4webapi)\//.test(id) || /proto\/typescript\//.test(id)) return "console";
  return undefined;
}

// The service serves the page and its files below /console. Names have a hash of the content, so that browsers keep the files.
export default defineConfig({
  base: "/console/",
  plugins: [optimizeLocales.vite({ locales: ["en-US", "de-DE", "fr-FR", "es-ES", "pt-BR", "ja-JP", "ar-AE"] })],
  resolve: { dedupe: ["react", "react-dom"] },
  build: {
    target: "es2022",
    outDir: "build",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rollupOptions: {
      onwarn: (warning, warn) => {
        if (warning.code !== "MODULE_LEVEL_DIRECTIVE") warn(warning); // "use client" of libraries means nothing here
      },
      output: {
        hashCharacters: "hex",
        entryFileNames: "assets/[name].[hash].js",
        chunkFileNames: "assets/[name].[hash].js",
        assetFileNames: "assets/[name].[hash][extname]",
        manualChunks: chunkOf,
      },
    },
  },
});
