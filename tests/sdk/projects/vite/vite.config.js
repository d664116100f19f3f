export default { build: { modulePreload: { polyfill: false }, target: "es2022" } };
