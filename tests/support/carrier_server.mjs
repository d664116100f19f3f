// Runs simulated push carriers (carriers.mjs) in their own process, with a control server (HTTP/1.1, JSON). The argument is JSON:
// {fcm?: {port?, tokenPort?, streams?, key?, cert?, way?}, apns?: {the same, without tokenPort}, control?: port}. `key` and `cert` are files. `way`
// is the argument of behave(). A port that is left out is a free port. Prints one line:
// {port (of the control server), control, fcm: {url, tokenUrl}, apns: {url}}.
//
//   POST   /CARRIER/behave    {answer, delay, retryAfter, status, share, frame}: see Carrier.behave
//   POST   /CARRIER/tokens    {answer}: see Fcm.answerTokens
//   POST   /CARRIER/goaway    {excluded?}
//   POST   /CARRIER/streams   {streams}
//   POST   /CARRIER/forget    clears the counts
//   GET    /CARRIER/counts    {pushes, accepted, interrupted, connections, inFlight, mostInFlight, tokenRequests?}
//   GET    /CARRIER/tally     {devices, accepted, repeated, ids}; ?message=ID for one message
//   GET    /CARRIER/devices   {token: number of accepted pushes}; ?message=ID for one message
// CARRIER is `fcm` or `apns`.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { Apns, Fcm } from './carriers.mjs'

const options = JSON.parse(process.argv[2] ?? '{}')
const classes = { fcm: Fcm, apns: Apns }
const carriers = {}

for (const [name, { port, key, cert, way, ...more }] of Object.entries({ fcm: options.fcm, apns: options.apns }).filter(([, given]) => given)) {
    const carrier = new classes[name]({ ...more, ...key && { key: readFileSync(key), cert: readFileSync(cert) } })
    carrier.port = port
    await carrier.open()
    if (way) await carrier.behave(way)
    carriers[name] = carrier
}

const orders = {
    'POST behave': (carrier, body) => carrier.behave(body),
    'POST tokens': (carrier, { answer }) => carrier.answerTokens(answer),
    'POST goaway': (carrier, body) => carrier.goAway(body),
    'POST streams': (carrier, { streams }) => carrier.limitStreams(streams),
    'POST forget': carrier => carrier.forget(),
    'GET counts': carrier => ({ ...carrier.counts, inFlight: carrier.inFlight, tokenRequests: carrier.tokenRequests }),
    'GET tally': (carrier, _, message) => carrier.tally(message),
    'GET devices': (carrier, _, message) => Object.fromEntries(carrier.devices(message)),
}

const control = createServer(async (request, response) => {
    let text = ''
    for await (const piece of request.setEncoding('utf8')) text += piece
    const { pathname, searchParams } = new URL(request.url, 'http://127.0.0.1')
    const [, name, what] = pathname.split('/')
    const carrier = carriers[name], order = orders[`${request.method} ${what}`]
    const reply = (status, json) => response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json))
    if (!carrier || !order) return void reply(404, { error: `unknown: ${request.method} ${pathname}` })
    try {
        reply(200, await order(carrier, text ? JSON.parse(text) : {}, searchParams.get('message') ?? undefined) ?? {})
    } catch (error) {
        reply(400, { error: error.message })
    }
})
control.listen(options.control ?? 0, '127.0.0.1')
await once(control, 'listening')

const { port } = control.address()
const urls = Object.entries(carriers).map(([name, { url, tokenUrl }]) => [name, { url, tokenUrl }])
console.log(JSON.stringify({ port, control: `http://127.0.0.1:${port}`, ...Object.fromEntries(urls) }))
