// The lists of the console, how to open them, and their measurements.
import { loadavg } from 'node:os'
import { median, note, options, sleep } from '../lib.mjs'
import { longThread, memberId, notificationId, notifications, threadId } from './data.mjs'

const openings = Number(options.openings ?? 20)
const scrolledPages = Number(options.pages ?? 8)
const row = '.table-body > [role="row"]'

// `path`: the address of the list. `from`: the page before, which has a link to the list. Without a link, the list is opened by its address.
// `shows`: a selector of what the list shows; default: a row of a table. `scrolls`: whether the list has several pages.
export const lists = [
    { label: 'threads (inbox)', from: '/console', path: '/console/feedback', scrolls: true },
    { label: 'users', from: '/console', path: '/console/users', scrolls: true },
    { label: 'erasures', from: '/console/users', path: '/console/users/erasures', scrolls: true },
    { label: 'notifications', from: '/console', path: '/console/notify', scrolls: true },
    { label: 'templates', from: '/console/notify/domain', path: '/console/notify/templates' },
    { label: 'broadcasts', from: '/console/notify/domain', path: '/console/notify/broadcasts', scrolls: true },
    { label: 'suppressions', from: '/console/notify/domain', path: '/console/notify/suppressions', scrolls: true },
    { label: 'subscribers', from: '/console/billing/settings', path: '/console/billing/subscribers', scrolls: true },
    { label: 'products', from: '/console/billing/settings', path: '/console/billing/products' },
    { label: 'billing events', from: '/console/billing/settings', path: '/console/billing/events', scrolls: true },
    { label: 'API keys', from: '/console', path: '/console/developers' },
    { label: 'webhooks', from: '/console/developers/origins', path: '/console/developers/webhooks' },
    { label: 'audit log', from: '/console/developers/origins', path: '/console/developers/audit', scrolls: true },
    { label: 'backfills (sync)', from: '/console/billing/settings', path: '/console/billing/sync', shows: '.billing-backfill .billing-counts' },
]

// Lists with filters and lists of one object, which are opened by their addresses.
export const views = [
    { label: 'threads: all', path: '/console/feedback?status=all' },
    { label: 'threads: assigned to a member', path: `/console/feedback?status=all&assignee=${memberId(3)}` },
    { label: 'threads: of no assignee', path: '/console/feedback?assignee=none' },
    { label: 'threads: urgent, of two priorities', path: '/console/feedback?priority=critical%2Chigh' },
    { label: 'threads: by votes', path: '/console/feedback?sort=votes' },
    { label: 'threads: by last reply', path: '/console/feedback?status=all&sort=lastReplyAt' },
    { label: 'threads: a rare tag', path: '/console/feedback?status=all&tag=rare' },
    { label: 'threads: a search by relevance', path: '/console/feedback?status=all&q=export+spinner' },
    { label: 'threads: of one user', path: `/console/feedback?status=all&user=${memberId(0)}` },
    { label: 'replies of a thread with 400', path: `/console/feedback/${threadId(longThread)}`, shows: '.feedback-entries > li' },
    { label: 'users: a part of the email', path: '/console/users?q=lovelace' },
    { label: 'users: admins', path: '/console/users?role=admin' },
    { label: 'users: disabled', path: '/console/users?status=disabled' },
    { label: 'activity of a user', path: `/console/users/${memberId(0)}`, shows: '.users-row' },
    { label: 'notifications: failed', path: '/console/notify?status=failed' },
    { label: 'notifications: queued text messages', path: '/console/notify?status=queued&channel=sms' },
    { label: 'notifications: to a user, this month', path: `/console/notify?to=${memberId(0)}&period=month` },
    { label: 'history of a notification', path: `/console/notify/deliveries/${notificationId(notifications - 2)}`, shows: '.notify-event' },
    { label: 'devices of a user', path: `/console/notify/devices?user=${memberId(1)}` },
    { label: 'subscribers: of a product', path: '/console/billing/subscribers?product=plan-7' },
    { label: 'subscribers: without access', path: '/console/billing/subscribers?active=false' },
    { label: 'billing events: rejected', path: '/console/billing/events?result=rejected' },
    { label: 'billing events: of one user', path: `/console/billing/events?user=${memberId(0)}` },
    ...['feedback', 'notify', 'billing', 'auth'].map(service => ({ label: `audit log: of ${service}`, path: `/console/developers/audit?service=${service}` })),
    { label: 'events of a subscriber', path: `/console/billing/users/${memberId(0)}` },
].map(view => ({ from: view.path.startsWith('/console/billing') ? '/console/billing/settings' : view.path.startsWith('/console/notify') ? '/console/notify/domain' : '/console', ...view }))

export const pages = [
    { label: 'overview', from: '/console/notify/domain', path: '/console', shows: '.link-list-title' },
    { label: 'statistics of threads', from: '/console', path: '/console/feedback/statistics', shows: '.stats' },
    { label: 'revenue', from: '/console/billing/settings', path: '/console/billing', shows: '.uplot' },
].map(page => ({ ...page, byAddress: true }))

// The places of the areas that this console has.
export async function available(page, places) {
    const areas = await page.locator('nav.nav a').evaluateAll(links => links.map(link => new URL(link.href).pathname))
    return places.filter(({ path }) => areas.includes(path.split('?')[0].split('/').slice(0, 3).join('/')))
}

const percentile = (list, p) => [...list].sort((a, b) => a - b)[Math.ceil(list.length * p) - 1]

// Opens the list once, with an empty cache. Returns the milliseconds from the click to the painted rows.
async function open(page, { from, path, shows = row }) {
    await page.evaluate(at => bench.go(at), from)
    await page.settled()
    const link = page.locator(`a[href="${path}"]:visible`).first()
    const clicks = await link.count() > 0
    await page.evaluate(([at, selector]) => { bench.forget(); bench.arm(at, selector) }, [path, shows])
    if (clicks) await link.click()
    else await page.evaluate(at => bench.go(at), path)
    return page.evaluate(() => bench.opening)
}

// Opens the list many times. Returns the percentiles of the times in ms, and the load average.
export async function timeOpenings(page, list) {
    const times = []
    for (let n = 0; n <= openings; n++) {
        note(`${list.label}: ${n} of ${openings}`)
        const { painted } = await open(page, list)
        if (n > 0) times.push(painted) // the first opening may load code
        await page.settled()
    }
    const failures = await page.evaluate(() => bench.failures())
    if (failures.length > 0) throw new Error(`${list.label}: ${failures[0]}`)
    return { median: median(times), p95: percentile(times, 0.95), most: Math.max(...times), load: loadavg()[0] }
}

// Turns the wheel until several pages of the list were loaded. Returns the frames that took more than 50 ms as a part of all, the longest task
// in ms, the highest number of rows in the DOM, and the rows that were loaded.
export async function scroll(page, list) {
    note(`${list.label}: scrolling`)
    await open(page, list)
    await page.settled()
    const first = await page.evaluate(() => bench.loaded())
    await page.mouse.move(720, 600)
    await page.evaluate(() => bench.record())
    const until = performance.now() + 40_000
    for (let turns = 0; performance.now() < until; turns++) {
        await page.mouse.wheel(0, 120)
        await sleep(50)
        if (turns % 20 === 0 && await page.evaluate(() => bench.loaded()) >= first * scrolledPages) break
    }
    const { frames, tasks, rows, blank } = await page.evaluate(() => bench.stop())
    return {
        slow: frames.filter(ms => ms > 50).length / frames.length, frame: percentile(frames, 0.95), longest: Math.max(0, ...tasks), rows, blank: blank / frames.length,
        loaded: await page.evaluate(() => bench.loaded()), load: loadavg()[0],
    }
}

// Frames of a page that nothing happens in.
export async function idleFrames(page) {
    await page.evaluate(at => bench.go(at), '/console/notify/domain')
    await page.settled()
    await page.evaluate(() => bench.record())
    await sleep(5000)
    const { frames, tasks } = await page.evaluate(() => bench.stop())
    return { slow: frames.filter(ms => ms > 50).length / frames.length, frame: percentile(frames, 0.95), longest: Math.max(0, ...tasks), load: loadavg()[0] }
}
