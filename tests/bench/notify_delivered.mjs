// Compares the rate at which notify accepts and delivers direct pushes with a peer (Fastify, pg, BullMQ and Node's http2), in alternating
// rounds. Both send to the same simulated carrier, which takes 20 ms, and use the same PostgreSQL and Redis.
import { CarrierProcess } from './carrier.mjs'
import { drive, now } from './connections.mjs'
import {
    addTable, addText, answers, charged, cpuOf, env, here, inTurn, medianRatio, medians, redisPid, seconds, sleep, start, stop,
} from './lib.mjs'
import { acceptedId, pid, port, privateKey, pushRequest, sql } from './notify_load.mjs'
import { atLeast, k, us } from './report.mjs'

const delay = 20 // ms
const connections = 256
const peerPort = 8199

// Sends pushes for `seconds`, and waits until each is sent. The rate is that of the stored times: from the first acceptance until the carrier's
// last answer.
async function deliver(carrier, keys, target, pids) {
    sql("DELETE FROM notifications WHERE channel = 'push'")
    await carrier.forget()
    const redis = cpuOf(redisPid)
    let sent = 0
    const figures = await charged(pids, async () => {
        ({ sent } = await drive(target, connections, { length: seconds, next: () => pushRequest(keys), take: acceptedId }))
        const open = () => Number(sql("SELECT count(*) FROM notifications WHERE channel = 'push' AND status = 'queued'"))
        for (let left = Infinity, patience = now() + 60_000; left > 0; await sleep(100)) {
            const still = open()
            if (still < left) patience = now() + 60_000
            if (now() > patience) throw new Error(`${still} of ${sent} pushes are not sent`)
            left = still
        }
        return { sent }
    })
    const [delivered, took] = sql(`SELECT count(sent_at), extract(epoch FROM max(sent_at) - min(created_at))
                                   FROM notifications WHERE channel = 'push'`).split('|').map(Number)
    const { accepted, repeated } = await carrier.tally()
    if (delivered !== sent || accepted !== sent || repeated > 0)
        throw new Error(`${sent} accepted, ${delivered} delivered, ${accepted} at the carrier, ${repeated} repeated`)
    return { ...figures, rate: sent / took, redis: (cpuOf(redisPid) - redis) / sent * 1e6 }
}

async function startPeer() {
    const environment = {
        DATABASE_URL: env.NOTIFY_DATABASE_URL, REDIS_URL: env.REDIS_URL, PORT: String(peerPort), NODE_ENV: 'production',
        APNS_URL: process.env.NOTIFY_APNS_BASE_URL, APNS_KEY: privateKey,
    }
    const processes = ['server', 'worker'].map(name => start('node', [`${here}notify-peer/${name}.mjs`], environment))
    await answers(`http://127.0.0.1:${peerPort}/health`)
    return processes
}

export async function deliveredFigures(keys) {
    const apnsPort = Number(new URL(process.env.NOTIFY_APNS_BASE_URL).port)
    const carrier = await CarrierProcess.open('apns', { port: apnsPort, way: { delay } })
    const peer = await startPeer()
    try {
        const contenders = {
            service: () => deliver(carrier, keys, port, pid),
            peer: () => deliver(carrier, keys, peerPort, peer.map(each => each.pid)),
        }
        await inTurn('direct pushes delivered, warm-up', contenders, { times: 1 })
        return await inTurn('direct pushes delivered', contenders, { swaps: true })
    } finally {
        await Promise.all(peer.map(stop))
        await carrier.stop()
    }
}

export function addDelivered(found) {
    const { service, peer } = medians(found)
    const row = (label, { rate, cpu, database, redis }, ...ratios) => [label, k(rate), us(cpu), us(database), us(redis), ...ratios]
    addTable([`direct pushes, ${connections} connections, the carrier takes ${delay} ms`, 'delivered/s', 'CPU µs/push: sender', 'PostgreSQL',
        'Redis', 'rate ÷ peer', 'CPU of the peer ÷ CPU'], [
        row('service', service, atLeast('direct pushes delivered: rate ÷ peer', medianRatio(found.service, found.peer, 'rate'), 3),
            `${(peer.cpu / service.cpu).toFixed(1)} ×`),
        row('Fastify + pg + BullMQ + http2', peer),
    ])
    addText('A push is delivered when the carrier has accepted it and the notification is `sent`. The rate counts from the first acceptance ' +
        'until the last delivery. Load and carrier are two Node processes on the same cores.')
}
