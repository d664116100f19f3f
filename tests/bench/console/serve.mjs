import { readFileSync, existsSync } from 'node:fs'
import { origin } from './chromium.mjs'
const web = process.env.WEB
export async function serve(context) {
  if (!web) return
  await context.route(url => url.origin === origin && url.pathname.startsWith('/console') && !['/console/config.json'].includes(url.pathname), async route => {
    const path = new URL(route.request().url()).pathname
    const file = web + (path.startsWith('/console/assets/') ? path.slice('/console'.length) : '/index.html')
    if (route.request().resourceType() === 'fetch' && !path.startsWith('/console/assets/')) return route.continue()
    const contentType = file.endsWith('.js') ? 'text/javascript' : file.endsWith('.css') ? 'text/css' : 'text/html'
    if (!existsSync(file)) return route.continue()
    await route.fulfill({ status: 200, contentType, body: readFileSync(file) })
  })
}
