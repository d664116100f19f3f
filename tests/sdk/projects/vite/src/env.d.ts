interface ImportMeta {
  readonly env: { readonly VITE_URL: string };
}
