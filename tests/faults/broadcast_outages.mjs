// A broadcast during which each carrier is away and throttles for a time, and one of two replicas is killed. At the end every device is
// sent, invalid or failed, the counters are exact, and every device that can get pushes has got one. Ends with status 1 otherwise.
// Options: --notify=PATH, --quick (few devices and short outages), --devices=N (by default BROADCAST_DEVICES, else 200,000).
import { PushScene } from './push_scene.mjs'
import { Stand, head, on, options, row, say, sleep } from './stand.mjs'

const scale = options.quick
    ? { devices: 4000, away: 4000, throttled: 2000, retryAfter: [1], streams: 10, delay: 50, seconds: 300, chunk: 250 }
    : { devices: 200_000, away: 180_000, throttled: 120_000, retryAfter: [10, undefined], streams: 100, delay: 20, seconds: 1500, chunk: 100 }
const devices = Number(options.devices ?? (options.quick ? scale.devices : process.env.BROADCAST_DEVICES ?? scale.devices))

// When `carrier` has accepted a tenth of its pushes, it is away for `scale.away` ms: unreachable, silent and failing, for a third of the time
// each. After four tenths it throttles for `scale.throttled` ms. A fault lasts longer, for up to a minute, until the broadcast has shown it: each
// replica shows only what it has met itself. `over()` returns true when the broadcast has ended; `states` has the states that it has shown.
async function disturb(scene, name, over, states) {
    const carrier = scene.carriers[name], total = scene.sound(carrier).length
    const until = async part => {
        while (!over() && carrier.counts.accepted < part * total) await Promise.race([carrier.reached(part * total), sleep(500)])
    }
    const phase = async (way, time, state) => {
        if (over()) return
        say(`${name}: ${way.answer}, after ${carrier.counts.accepted} pushes`)
        await carrier.behave({ ...way, delay: scale.delay })
        const unseen = () => state && !states.has(`${name} ${state}`)
        const end = performance.now() + time
        while (!over() && (performance.now() < end || (unseen() && performance.now() < end + 60_000))) await sleep(100)
    }
    await until(0.1)
    for (const answer of ['away', 'hang', 'error']) await phase({ answer }, scale.away / 3, answer === 'error' && 'down')
    await carrier.recover(scale.delay)
    await until(0.4)
    for (const retryAfter of scale.retryAfter) await phase({ answer: 'throttle', retryAfter }, scale.throttled / scale.retryAfter.length, name === 'fcm' && 'throttled')
    await carrier.recover(scale.delay)
    say(`${name}: recovered, after ${carrier.counts.accepted} pushes`)
}

async function killMidway(scene, over) {
    const { fcm } = scene.carriers, part = 0.6 * scene.sound(fcm).length
    while (!over() && fcm.counts.accepted < part) await Promise.race([fcm.reached(part), sleep(500)])
    say('kill -9 of the second replica')
    await scene.killSecondReplica()
}

function judge(scene, broadcast, states) {
    const { enqueuedDevices, sentCount, failedCount, invalidTokenCount } = broadcast
    const lost = scene.lost()
    head('devices', 'sent', 'failed', 'invalid', 'lost', 'repeated pushes', 'states of the carriers')
    row(enqueuedDevices, sentCount, failedCount, invalidTokenCount, lost.length, scene.repeated(), [...states].sort().join(', '))
    const wrong = lost.length > 0 ? [`${lost.length} devices got no push, such as ${lost.slice(0, 5).join(', ')}`] : []
    const expect = (what, found, expected) => { if (found !== expected) wrong.push(`${what}: ${found} instead of ${expected}`) }
    expect('enqueued devices', enqueuedDevices, devices)
    expect('sum of the counters', sentCount + failedCount + invalidTokenCount, devices)
    expect('sent', sentCount, scene.count('ok'))
    expect('invalid', invalidTokenCount, scene.count('gone'))
    expect('failed', failedCount, scene.count('refused'))
    for (const state of ['fcm down', 'apns down', 'fcm throttled']) if (!states.has(state)) wrong.push(`the broadcast never showed "${state}"`)
    return wrong
}

await on(new Stand(), async stand => {
    const { streams, delay, chunk, seconds } = scale
    const scene = await PushScene.begin(stand, { streams, delay, environment: { BROADCAST_CHUNK: String(chunk) } })
    say(`registering ${devices} devices`)
    await scene.registerDevices(devices)
    const id = await scene.startBroadcast(), states = new Set()
    let isOver = false
    const over = () => isOver
    const faults = Promise.all([disturb(scene, 'fcm', over, states), disturb(scene, 'apns', over, states), killMidway(scene, over)])
    faults.catch(() => {}) // awaited below
    try {
        const look = ({ carriers = [] }) => { for (const { kind, state } of carriers) states.add(`${kind} ${state}`) }
        const broadcast = await scene.completed(id, { seconds, look })
        isOver = true
        await faults
        return judge(scene, broadcast, states)
    } finally {
        isOver = true
    }
})
