// Ten times what each service can do, from one tenant, sent whether it is answered or not, while another tenant goes on as before; then
// 10,000 connections that are slow. Ends with 1 when something else is answered than what was asked for or 503 with Retry-After.
// The programs: --feedback=PATH ...; --seconds=N of each measurement; --only-flood, --only-slow.
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { now, pace } from '../bench/connections.mjs'
import { eventually } from '../upgrade/processes.mjs'
import { writeOf } from './requests.mjs'
import { Stand, chosen, head, on, options, row, say, sleep } from './stand.mjs'

const length = Number(options.seconds ?? 10)
const times = 10
const slowConnections = Number(options.connections ?? 10_000)
const slowProbe = 20 // requests a second of the client beside slow connections
const share = 20 // what the other tenant asks for is so small a part of the best
// So far away that a few hundred transactions a second are all there is, and this machine can offer ten times that.
const distance = 1 // ms each way between a service and its database

const worker = (file, workerData) => new Worker(new URL(file, import.meta.url), { workerData })
const message = async from => (await once(from, 'message'))[0]
const generate = data => message(worker('generator.mjs', data))
const percentile = (list, p) => list.length ? [...list].sort((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * p))] : NaN
const ms = value => Number.isNaN(value) ? '' : value.toFixed(0)

// Two tenants of a service, as requests.mjs wants them.
async function callersOf(stand, service) {
    const callers = []
    for (const slug of ['demo', 'other']) {
        const [load] = await stand.makeLoads(0, [service], slug)
        callers.push(await load.caller())
    }
    return callers
}

// The write of a tenant that is not in a hurry: what it takes, and what was answered.
async function probe(port, caller, rate) {
    const took = [], strange = []
    let n = 0, acknowledged = 0
    const end = now() + length * 1000
    await pace(port, {
        rate, length, next: () => writeOf(caller, n++),
        take: ({ status, body }, due) => {
            took.push(now() - due)
            if (status >= 300) strange.push(`${status} ${body}`)
            else if (now() <= end) acknowledged++
        },
    })
    return { p50: percentile(took, 0.5), p99: percentile(took, 0.99), strange, sent: n, acknowledged: acknowledged / length }
}

async function watchMemory(stand, name, work) {
    const before = stand.status(name).rss
    let most = before
    let failure
    const timer = setInterval(() => {
        try { most = Math.max(most, stand.status(name).rss) } catch (error) { failure = error }
    }, 250)
    const result = await work().finally(() => clearInterval(timer))
    if (failure) throw failure
    return { before, most, result }
}

async function flood(stand, { name }, [demo, other]) {
    const port = stand.ports[name], wrong = []
    let best = 0
    for (const connections of [32, 128]) best = Math.max(best, (await generate({ port, caller: demo, length, connections })).acknowledged)
    const beat = Math.max(2, best / share), rate = Math.ceil(times * best)
    const calm = await probe(port, other, beat)
    const { before, most, result: [load, beside] } = await watchMemory(stand, name,
        () => Promise.all([generate({ port, caller: demo, length, rate }), probe(port, other, beat)]))
    const refused = load.answers[503] ?? [], acknowledged = load.acknowledged + beside.acknowledged
    row(name, best.toFixed(0), rate, acknowledged.toFixed(0), `${(acknowledged / best).toFixed(2)} ×`, refused.length,
        ms(percentile(refused, 0.5)), ms(percentile(refused, 0.99)), before.toFixed(0), most.toFixed(0), ms(calm.p99), ms(beside.p99),
        `${(beside.p99 / calm.p99).toFixed(2)} ×`, `${beside.strange.length} of ${beside.sent}`)
    if (load.noRetryAfter > 0) wrong.push(`${name}: ${load.noRetryAfter} answers of 503 had no Retry-After`)
    wrong.push(...load.strange.map(answer => `${name}: the tenant in a hurry was answered ${answer}`))
    wrong.push(...calm.strange.slice(0, 3).map(answer => `${name}: with nothing else to do the other tenant was answered ${answer}`))
    wrong.push(...beside.strange.slice(0, 3).map(answer => `${name}: beside the flood the other tenant was answered ${answer}`))
    return wrong
}

async function slow(stand, { name }, [demo, other]) {
    const port = stand.ports[name], beat = name === 'auth-mfa' ? 4 : slowProbe // a sign-in is a hash
    const calm = await probe(port, other, beat)
    const path = /^POST (\S+)/.exec(writeOf(demo, 0))[1]
    const clients = worker('slow.mjs', { port, count: slowConnections, host: demo.host, token: demo.token ?? 'none', path })
    const ask = () => {
        const answer = message(clients)
        clients.postMessage('')
        return answer
    }
    let most = 0
    await eventually(`${slowConnections} connections are open`, async () => {
        most = Math.max(most, (await ask()).open)
        return most >= 0.95 * slowConnections
    })
    const { before, most: memory, result: beside } = await watchMemory(stand, name, () => probe(port, other, beat))
    const { open, cutOff } = await ask()
    await clients.terminate()
    row(name, most, open, cutOff, before.toFixed(0), memory.toFixed(0), ms(calm.p99), ms(beside.p99), `${beside.strange.length} of ${beside.sent}`)
    return beside.strange.slice(0, 3).map(answer => `${name}: beside slow connections somebody was answered ${answer}`)
}

await on(new Stand({ proxied: true }), async stand => {
    say('starting the services')
    await stand.start(await stand.openProviders())
    for (const proxy of Object.values(stand.proxies)) proxy.delay = distance
    const wrong = [], callers = new Map()
    for (const each of chosen) callers.set(each, await callersOf(stand, each))
    console.log(`The database is ${2 * distance} ms away there and back. Each figure is of ${length} s. Limits: at least 0.8 × of the best ` +
        'rate (of both tenants together), 15 ms in the median for a 503, 2 × for the other tenant.\n')
    head('service', 'best, a second', 'offered', 'acknowledged', 'of the best', '503', 'median after, ms', 'p99', 'MB before', 'MB at most',
        'p99 of another tenant alone, ms', 'beside the flood', 'ratio', 'refused')
    for (const each of options['only-slow'] ? [] : chosen) {
        say(`${each.name}: ${times} times what it can do`)
        wrong.push(...await flood(stand, each, callers.get(each)))
        await sleep(4000) // longer than anything waits in a queue
    }
    console.log()
    head('service', 'slow connections', `after ${length} s`, 'cut off', 'MB with them', 'MB at most', 'p99 of a client alone, ms', 'beside them', 'refused')
    for (const each of options['only-flood'] ? [] : chosen) {
        say(`${each.name}: ${slowConnections} slow connections`)
        wrong.push(...await slow(stand, each, callers.get(each)))
    }
    return [...wrong, ...stand.complaints]
})
