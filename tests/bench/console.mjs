// Measures the console of a tenant with many rows in Chromium: the first page of every list, scrolling, and the memory of pages that poll.
import { existsSync, writeFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { addTable, addText, note, options, report, run } from './lib.mjs'
import { atMost, grouped } from './report.mjs'
import { browser, newOwner, openConsole, signIn } from './console/chromium.mjs'
import { audited, deliveries, events, members, notifications, prepare, raiseLimits, sqlOf, subscribers, threads } from './console/data.mjs'
import { available, idleFrames, lists, pages, scroll, timeOpenings, views } from './console/lists.mjs'
import { hastened, realTime } from './console/memory.mjs'

const parts = (options.only ?? 'lists,scrolling,polling').split(',')
const polls = Number(options.polls ?? 4000)
const minutes = Number(options.minutes ?? 60)
const limit = 300 // ms from the click to the painted rows
const mostRows = 80 // in the DOM
const growth = 1.05 // of the heap

const ms = n => `${n.toFixed(0)} ms`
const mb = n => `${n.toFixed(2)} MB`
const averageOf = load => load.toFixed(1)

// Inserts the data, unless an earlier run with the same services has done so. Returns an owner.
async function prepared() {
    const owner = await newOwner(), mark = `${run}/console-data`
    if (existsSync(mark)) return owner
    await raiseLimits()
    await prepare(sqlOf('auth-mfa')(`SELECT password_hash FROM users WHERE email = '${owner.email}'`))
    writeFileSync(mark, '')
    return owner
}

async function openings(page, head, places, limited) {
    const lines = []
    addTable([head, 'median', '95th percentile', 'slowest', 'load average'], lines)
    for (const place of await available(page, places)) {
        const { median, p95, most, load } = await timeOpenings(page, place)
        const shown = (what, value) => limited ? atMost(`${place.label}: ${what}`, value, limit, 'ms') : ms(value)
        lines.push([place.label, ms(median), shown('first page', p95), ms(most), averageOf(load)])
    }
}

// Chromium sometimes ends the process of a page that is scrolled, because of an error of its own. Then the list is scrolled again.
async function scrolled(context, list) {
    for (let attempts = 1; ; attempts++) {
        const page = await openConsole(context)
        try {
            return await scroll(page, list)
        } catch (error) {
            if (attempts === 3 || !/closed|crashed/i.test(error.message)) throw error
        } finally {
            await page.close().catch(() => {})
        }
    }
}

async function scrolling(page) {
    const lines = [], context = page.context()
    addTable(['turning the wheel', 'rows loaded', 'most rows in the DOM', 'frames of more than 50 ms', 'blank frames', '95th percentile of frames', 'longest task', 'load average'], lines)
    const percent = part => `${(100 * part).toFixed(1)} %`
    const line = (label, { slow, blank, frame, longest, load }, loaded, rows) =>
        lines.push([label, loaded, rows, percent(slow), blank === undefined ? '' : percent(blank), ms(frame), ms(longest), averageOf(load)])
    line('a page in which nothing happens', await idleFrames(page), '', '')
    for (const list of await available(page, lists.filter(({ scrolls }) => scrolls))) {
        const found = await scrolled(context, list)
        line(list.label, found, grouped(found.loaded), atMost(`${list.label}: rows in the DOM`, found.rows, mostRows, 'rows'))
    }
}

function addMemory(head, { figures, resident, took, load }) {
    addTable([head, 'calls', 'heap after the beginning', 'at the end', 'end ÷ beginning', 'DOM nodes', 'at the end', 'listeners', 'at the end'], figures.map(({ name, polls: calls, heap, nodes, listeners }) =>
        [name, grouped(calls), mb(heap.first), mb(heap.last), atMost(`${name}: heap, ${head}`, heap.last / heap.first, growth),
            grouped(nodes.first), grouped(nodes.last), grouped(listeners.first), grouped(listeners.last)]))
    addText(`The pages polled for ${(took / 60_000).toFixed(0)} minutes. The processes that render them had ${resident.first.toFixed(0)} MB of resident memory after the beginning and ` +
        `${resident.last.toFixed(0)} MB at the end. The load average was ${averageOf(load)}.`)
}

await report('console', async () => {
    const owner = await prepared()
    try {
        if (parts.includes('lists') || parts.includes('scrolling')) {
            const page = await openConsole(await signIn(owner))
            if (parts.includes('lists')) {
                await openings(page, 'list, opened with an empty cache', lists, true)
                await openings(page, 'list with a filter, or of one object', views, true)
                await openings(page, 'page with statistics', pages, false)
            }
            if (parts.includes('scrolling')) await scrolling(page)
            if (page.refused.length > 0) throw new Error(`a request failed: ${page.refused[0]}`)
            await page.context().close()
        }
        if (parts.includes('polling')) addMemory('polling as fast as the services answer', await hastened(owner, polls))
        if ('hour' in options) addMemory(`polling for ${minutes} minutes`, await realTime(owner, minutes))
    } finally {
        await browser.close()
    }
    addText(`The tenant has ${grouped(threads)} threads, ${grouped(notifications)} notifications, ${grouped(subscribers)} subscribers, ${grouped(members)} users, ${grouped(events)} billing ` +
        `events, and in each service ${grouped(audited)} audit entries and ${grouped(deliveries)} deliveries to webhooks.`)
}, 'Chromium without a GPU, servers and PostgreSQL on the same machine')
