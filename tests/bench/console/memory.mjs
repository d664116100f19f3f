// The memory of pages that poll: the JavaScript heap after garbage collections, while the lists change.
import { readFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { Connection } from '../connections.mjs'
import { env, median, note, sleep } from '../lib.mjs'
import { browser, openConsole, signIn } from './chromium.mjs'
import { slugHost } from './data.mjs'

const minute = 60_000

// In the page, before its scripts: intervals run 100 times as often. A list asks again when its last request has ended.
function hasten() {
    const real = globalThis.setInterval
    globalThis.setInterval = (work, ms, ...more) => real(work, ms >= 1000 ? ms / 100 : ms, ...more)
}

// The memory of a page after garbage collections.
async function sampler(page) {
    const devtools = await page.context().newCDPSession(page)
    await devtools.send('Performance.enable')
    return async () => {
        for (let i = 0; i < 3; i++) {
            await devtools.send('HeapProfiler.collectGarbage')
            await sleep(50)
        }
        const { metrics } = await devtools.send('Performance.getMetrics')
        const of = name => metrics.find(metric => metric.name === name).value
        return { heap: of('JSHeapUsedSize') / 2 ** 20, nodes: of('Nodes'), listeners: of('JSEventListeners'), calls: page.calls }
    }
}

// Resident memory of the processes of Chromium that render pages, in MB.
async function renderers() {
    const devtools = await browser.newBrowserCDPSession()
    const { processInfo } = await devtools.send('SystemInfo.getProcessInfo')
    await devtools.detach()
    return processInfo.filter(({ type }) => type === 'renderer').reduce((sum, { id }) => {
        try { return sum + Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${id}/status`, 'utf8'))[1]) / 1024 } catch { return sum }
    }, 0)
}

// Sends an email every `ms` milliseconds until it is stopped, so that the list of notifications changes and polls every two seconds.
function sendEmails(ms) {
    const connection = new Connection(Number(env.NOTIFY_PORT))
    let running = true, number = 0
    const sending = (async () => {
        while (running) {
            await connection.ask(202, 'POST', slugHost('NOTIFY'), '/v1/notifications/send', env.MASTER_KEY,
                { templateName: 'template-0', channel: 'email', to: `live-${++number}@example.com`, variables: { name: 'Ada', number: String(number) } })
            await sleep(ms)
        }
        connection.close()
    })()
    return async () => {
        running = false
        await sending
    }
}

const shown = { notifications: '/console/notify', threads: '/console/feedback', overview: '/console' }

// Leaves the pages open. `step` waits for the time between two samples and returns whether to go on. Returns the samples of each page.
async function watch(owner, { init, every, step }) {
    const context = await signIn(owner, init)
    const open = []
    for (const [name, path] of Object.entries(shown)) {
        const page = await openConsole(context, path, { polls: true })
        open.push({ name, page, sample: await sampler(page), samples: [] })
    }
    const stop = sendEmails(every)
    const resident = []
    do {
        for (const { sample, samples } of open) samples.push(await sample())
        resident.push(await renderers())
    } while (await step(open))
    await stop()
    await context.close()
    return { pages: Object.fromEntries(open.map(({ name, samples }) => [name, samples])), resident, refused: open.flatMap(({ page }) => page.refused) }
}

// The medians of the first and the last fifth of the samples, without the first quarter, in which code is still compiled.
function trend(samples, of) {
    const values = samples.slice(Math.ceil(samples.length / 4)).map(of), part = Math.max(1, Math.floor(values.length / 5))
    return { first: median(values.slice(0, part)), last: median(values.slice(-part)), most: Math.max(...values) }
}

function figuresOf({ pages, resident, refused }, took) {
    if (refused.length > 0) note(`${refused.length} requests failed: ${refused[0]}\n`)

    const figures = Object.entries(pages).map(([name, samples]) => ({
        name, polls: samples.at(-1).calls, heap: trend(samples, ({ heap }) => heap), nodes: trend(samples, ({ nodes }) => nodes),
        listeners: trend(samples, ({ listeners }) => listeners),
    }))
    return { figures, resident: trend(resident, mb => mb), took, load: loadavg()[0] }
}

// Polls as fast as the services answer, until the notifications were read `polls` times.
export async function hastened(owner, polls) {
    const begun = performance.now()
    let taken = 0
    const found = await watch(owner, {
        init: hasten, every: 100,
        async step(open) {
            const at = polls * ++taken / 40 // 40 samples
            while (open[0].page.calls < at) await sleep(100)
            note(`polling: ${open[0].page.calls} of ${polls}`)
            return at < polls
        },
    })
    return figuresOf(found, performance.now() - begun)
}

// Polls as the console does, for this number of minutes.
export async function realTime(owner, minutes) {
    const begun = performance.now()
    let passed = 0
    const found = await watch(owner, {
        every: 10_000,
        async step(open) {
            await sleep(Math.max(0, begun + ++passed * minute - performance.now()))
            const lines = open.map(({ name, samples }) => `${name} ${samples.at(-1).heap.toFixed(2)} MB, ${samples.at(-1).nodes} nodes, ${samples.at(-1).listeners} listeners, ${samples.at(-1).calls} calls`)
            note(`polling: minute ${passed} of ${minutes}; ${lines.join('; ')}; load average ${loadavg()[0].toFixed(1)}`)
            return passed < minutes
        },
    })
    return figuresOf(found, performance.now() - begun)
}
