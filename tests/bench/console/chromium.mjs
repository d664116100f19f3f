// Chromium with the console of an owner: the sign-in with password and authenticator app, and the pages that the benchmark measures.
import { createHmac, randomBytes } from 'node:crypto'
import { chromium } from 'playwright-core'
import { Connection } from '../connections.mjs'
import { env, sleep } from '../lib.mjs'
import { slugHost, tenant } from './data.mjs'

export const origin = `http://${slugHost('AUTH')}:${env.AUTH_PORT}`
const viewport = { width: 1440, height: 900 }

export const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox'],
})

// --- the owner -------------------------------------------------------------------------------------------------------------------

// The code of an authenticator app (RFC 6238: SHA-1, 6 digits, 30 s). `steps`: the number of periods from now.
function codeOf(secret, steps = 0) {
    const bits = [...secret].map(letter => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0')).join('')
    const counter = Buffer.alloc(8)
    counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + steps))
    const mac = createHmac('sha1', Buffer.from(bits.match(/.{8}/g).map(byte => parseInt(byte, 2)))).update(counter).digest()
    return String((mac.readUInt32BE(mac.at(-1) & 15) & 0x7fffffff) % 1_000_000).padStart(6, '0')
}

// A code that was not used before: the service accepts the code of a period once.
let lastPeriod = 0
async function nextCode(secret) {
    const period = () => Math.floor(Date.now() / 30_000)
    while (period() <= lastPeriod) await sleep(200)
    lastPeriod = period()
    return codeOf(secret)
}

// Creates an owner with an authenticator app.
export async function newOwner() {
    const owner = { email: `owner-${randomBytes(4).toString('hex')}@example.com`, password: randomBytes(18).toString('base64url') }
    const connection = new Connection(Number(env.AUTH_PORT)), host = slugHost('AUTH')
    const created = await connection.ask(201, 'POST', host, `/v1/admin/tenants/${tenant}/owners`, env.MASTER_KEY, { ...owner, environment: 'production' })
    const { accessToken } = await connection.ask(200, 'POST', host, '/v1/auth/login', '', owner)
    const { secret } = await connection.ask(200, 'POST', host, '/v1/auth/mfa/totp/setup', accessToken, {})
    await connection.ask(200, 'POST', host, '/v1/auth/mfa/totp/confirm', accessToken, { code: codeOf(secret, -1) })
    connection.close()
    return { ...owner, secret, userId: created.userId }
}

async function submit(page, action, fields) {
    const form = page.locator(`form[action="${action}"]`).first()
    for (const [name, value] of Object.entries(fields)) await form.locator(`[name="${name}"]`).fill(value)
    await Promise.all([page.waitForNavigation(), form.locator('button[type="submit"]').click()])
}

// A browser in which the owner is signed in. `init`: a function that runs in each page before its scripts.
export async function signIn(owner, init) {
    const context = await browser.newContext({ viewport, locale: 'en-US', timezoneId: 'UTC', reducedMotion: 'reduce', colorScheme: 'light' })
    context.setDefaultTimeout(60_000)
    if (init) await context.addInitScript(init)
    await context.addInitScript(helpers)
    const page = await context.newPage()
    await page.goto(`${origin}/console`)
    await page.locator('form[action="/login"]').waitFor()
    await submit(page, '/login', { email: owner.email, password: owner.password })
    await submit(page, '/login/verify', { code: await nextCode(owner.secret) })
    await page.waitForURL(`${origin}/console`)
    await page.close()
    return context
}

// --- pages -----------------------------------------------------------------------------------------------------------------------

// In the page: functions of the benchmark.
function helpers() {
    const bench = {}
    globalThis.bench = bench

    // The client of TanStack Query, which the provider at the root of the page has.
    const findClient = () => {
        const root = document.getElementById('root')
        const key = Object.keys(root).find(name => name.startsWith('__reactContainer$'))
        for (let fiber = root[key]; fiber; fiber = fiber.child) if (fiber.memoizedProps?.client?.getQueryCache) return fiber.memoizedProps.client
        throw new Error('no client of TanStack Query was found')
    }
    bench.client = () => (bench.found ??= findClient())
    bench.forget = () => bench.client().clear()
    // Rows that the longest list of the page has loaded.
    bench.loaded = () => Math.max(0, ...bench.client().getQueryCache().getAll().filter(query => query.isActive())
        .map(({ state }) => state.data?.pages?.reduce((sum, page) => sum + page.items.length, 0) ?? 0))
    bench.failures = () => bench.client().getQueryCache().getAll().filter(({ state }) => state.status === 'error').map(({ state }) => String(state.error))

    // Goes to an address of the console without loading the page again.
    bench.go = path => {
        history.pushState(null, '', path)
        dispatchEvent(new PopStateEvent('popstate'))
    }

    // Milliseconds from the click, or from bench.go, until a new element that matches the selector has been painted.
    bench.arm = (path, selector) => {
        const before = new Set(document.querySelectorAll(selector))
        bench.opening = new Promise((done, failed) => {
            const tooLate = setTimeout(() => failed(new Error(`${path}: nothing matches ${selector} after 20 s`)), 20_000)
            let start, requested = 0
            const click = event => (start ??= event.timeStamp)
            const move = () => (start ??= performance.now())
            const isShown = () => location.pathname + location.search === path && [...document.querySelectorAll(selector)].some(element =>
                !before.has(element) && !element.closest('[aria-busy="true"]'))
            const observer = new MutationObserver(() => {
                if (start === undefined || !isShown()) return
                observer.disconnect()
                requested = performance.now()
                // The second frame begins when the first one has been painted.
                requestAnimationFrame(() => requestAnimationFrame(() => {
                    removeEventListener('click', click, true)
                    removeEventListener('popstate', move, true)
                    clearTimeout(tooLate)
                    done({ painted: performance.now() - start, inserted: requested - start })
                }))
            })
            addEventListener('click', click, true)
            addEventListener('popstate', move, true)
            observer.observe(document.getElementById('root'), { subtree: true, childList: true, attributes: true, attributeFilter: ['aria-busy'] })
        })
    }

    // Records frames until bench.stop(): times between frames, long tasks, the highest number of rows in the DOM, and frames without a row in
    // the middle of the screen.
    bench.record = () => {
        const frames = [], tasks = []
        let rows = 0, blank = 0, running = true, last
        const observer = new PerformanceObserver(entries => tasks.push(...entries.getEntries().map(({ duration }) => duration)))
        observer.observe({ type: 'longtask' })
        const frame = time => {
            if (last !== undefined) frames.push(time - last)
            last = time
            rows = Math.max(rows, document.querySelectorAll('.table-body > [role="row"]').length)
            if (!document.elementFromPoint(innerWidth / 2, innerHeight / 2)?.closest('[role="row"]')) blank += 1
            if (running) requestAnimationFrame(frame)
        }
        requestAnimationFrame(frame)
        bench.stop = () => {
            running = false
            tasks.push(...observer.takeRecords().map(({ duration }) => duration))
            observer.disconnect()
            return { frames, tasks, rows, blank }
        }
    }
}

// A page with the console at this address, which counts its requests to the services. `polls`: its requests do not end.
export async function openConsole(context, path = '/console', { polls = false } = {}) {
    const page = await context.newPage()
    const pending = new Set()
    page.calls = 0
    page.refused = []
    page.on('request', request => {
        pending.add(request)
        if (new URL(request.url()).pathname.startsWith('/v1/')) page.calls += 1
    })
    for (const event of ['requestfinished', 'requestfailed']) page.on(event, request => pending.delete(request))
    page.on('response', response => { if (response.status() >= 400 && response.status() !== 404) page.refused.push(`${response.status()} ${response.url()}`) })
    page.on('pageerror', error => page.refused.push(String(error)))
    // Waits until no request has been under way for a while, and the page does not show that it loads.
    page.settled = async (quiet = 250) => {
        for (let since = performance.now(); performance.now() - since < quiet; await sleep(20)) {
            if (pending.size > 0 || await page.evaluate(() => document.querySelector('#root > *') === null || document.querySelector('.spinner') !== null).catch(() => true))
                since = performance.now()
        }
    }
    await page.goto(origin + path)
    if (polls) await page.locator('h1').waitFor()
    else await page.settled(4000) // the page loads the other areas after three seconds
    return page
}
