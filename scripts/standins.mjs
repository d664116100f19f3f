// Simulates one internet service in a local run: DNS, the purchase provider (RevenueCat's GET /v1/subscribers/{userId}), or the card
// provider (the part of Stripe's API that billing reads).
//
//     node scripts/standins.mjs dns RECORDS PORT
//     node scripts/standins.mjs purchases SUBSCRIBERS PORT
//     node scripts/standins.mjs payments OBJECTS PORT
//
// RECORDS is a file with one TXT record per line, {"name", "type": "TXT", "value"}. SUBSCRIBERS is a folder with one file per user,
// `<userId>.json`; a user without a file has bought nothing. OBJECTS is a folder with one file per object of Stripe, `<id>.json`: the
// subscriptions (`"object": "subscription"`) and the payments of invoices (`"object": "invoice_payment"`). The program reads RECORDS,
// SUBSCRIBERS or OBJECTS again for each request. PORT 0 stands for any free port. The program listens on loopback only, and prints
// `listening on 127.0.0.1:PORT` when it is ready. A request that fails does not end the program.
import { createSocket } from 'node:dgram'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'

const [service, source, port] = process.argv.slice(2)

// A long user id can make a file name too long for the file system. A file with such a name cannot exist.
function readIfThere(file) {
    try {
        return readFileSync(file, 'utf8')
    } catch (error) {
        if (error.code !== 'ENOENT' && error.code !== 'ENAMETOOLONG') throw error
        return undefined
    }
}

const log = error => console.error(`${service}: ${error.message}`)
const address = '127.0.0.1'
const announce = server => console.log(`listening on ${address}:${server.address().port}`)
function fail(error) {
    log(error)
    process.exit(1)
}

// --- DNS over UDP (RFC 1035)

const typeTxt = 16, classIn = 1, nameError = 3, notImplemented = 4, headerLength = 12

const nameOf = text => text.toLowerCase().replace(/\.$/, '')

function recordsOf(name) {
    const lines = (readIfThere(source) ?? '').split('\n').filter(line => line.trim())
    return lines.map(line => JSON.parse(line)).filter(record => record.type === 'TXT' && nameOf(record.name) === name)
}

// The first question of a message: its name, its type, and the offset of the byte after it.
function readQuestion(message) {
    const labels = []
    let at = headerLength
    for (let length = message[at]; length > 0; length = message[at]) {
        if (length > 63) throw new RangeError('a compressed name in a question')
        labels.push(message.toString('latin1', at + 1, at + 1 + length))
        at += 1 + length
    }
    return { name: nameOf(labels.join('.')), type: message.readUInt16BE(at + 1), end: at + 5 }
}

// A TXT record for the name at offset 12, in strings of at most 255 bytes.
function txtRecord(value) {
    const bytes = Buffer.from(value), strings = []
    for (let at = 0; at < bytes.length || at === 0; at += 255) {
        const part = bytes.subarray(at, at + 255)
        strings.push(Buffer.from([part.length]), part)
    }
    const data = Buffer.concat(strings), head = Buffer.alloc(12)
    head.writeUInt16BE(0xc000 | headerLength, 0)
    head.writeUInt16BE(typeTxt, 2)
    head.writeUInt16BE(classIn, 4)
    head.writeUInt32BE(1, 6) // seconds to live
    head.writeUInt16BE(data.length, 10)
    return Buffer.concat([head, data])
}

function answerTo(query) {
    const question = readQuestion(query)
    const records = question.type === typeTxt ? recordsOf(question.name) : []
    const header = Buffer.alloc(headerLength)
    query.copy(header, 0, 0, 2)
    const code = question.type !== typeTxt ? notImplemented : records.length ? 0 : nameError
    header.writeUInt16BE(0x8580 | code, 2) // an authoritative response, with recursion
    header.writeUInt16BE(1, 4)
    header.writeUInt16BE(records.length, 6)
    return Buffer.concat([header, query.subarray(headerLength, question.end), ...records.map(record => txtRecord(record.value))])
}

function serveDns() {
    const socket = createSocket('udp4')
    socket.on('message', (query, from) => {
        try {
            socket.send(answerTo(query), from.port, from.address, error => error && log(error))
        } catch (error) {
            log(error)
        }
    })
    socket.once('error', fail)
    socket.bind(Number(port), address, () => {
        socket.off('error', fail).on('error', log)
        announce(socket)
    })
}

// --- HTTP

const refusal = (status, body) => Object.assign(new Error(`status ${status}`), { status, body })

// Serves GET requests. `answerTo(path, query)` returns the JSON text of the response, or throws a refusal.
function serveHttp(answerTo, unexpected) {
    function answer(request, response) {
        const reply = (status, body) => response.writeHead(status, { 'Content-Type': 'application/json' }).end(body)
        try {
            const [, path, query] = /^([^?]*)\??(.*)$/s.exec(request.url) // URL would resolve `..`
            reply(200, answerTo(request.method === 'GET' ? path : '', new URLSearchParams(query)))
        } catch (error) {
            if (!error.status) log(error)
            reply(error.status ?? 500, error.body ?? unexpected)
        }
    }
    const server = createServer(answer)
    server.on('connection', socket => socket.on('error', log))
    server.once('error', fail)
    server.listen(Number(port), address, () => {
        server.off('error', fail).on('error', log)
        announce(server)
    })
}

// The decoded segment of a path. Throws `invalid` if it is not valid percent-encoded UTF-8.
function decoded(segment, invalid) {
    try {
        return decodeURIComponent(segment)
    } catch {
        throw invalid
    }
}

// --- the purchase provider

const emptySubscriber = () => JSON.stringify({
    request_date: new Date().toISOString(),
    subscriber: { first_seen: new Date().toISOString(), entitlements: {}, subscriptions: {}, non_subscriptions: {} },
})

function answerSubscriber(path) {
    const invalid = refusal(400, '{"message": "The user id is not valid percent-encoded UTF-8."}')
    const user = decoded(/^\/v1\/subscribers\/([^/]+)$/.exec(path)?.[1] ?? '', invalid)
    if (!user || /[/\0]|^\.\.?$/.test(user)) throw refusal(404, '{"code": 7259, "message": "Not found."}')
    return readIfThere(join(source, `${user}.json`)) ?? emptySubscriber()
}

// --- the card provider

const stripeError = (status, error) => refusal(status, JSON.stringify({ error: { type: 'invalid_request_error', ...error } }))
const missing = (status, what, id) => stripeError(status, { code: 'resource_missing', message: `No such ${what}: '${id}'` })

// The objects of a type, newest first.
function objectsOf(type) {
    const files = readdirSync(source).filter(name => name.endsWith('.json'))
    const objects = files.map(name => JSON.parse(readFileSync(join(source, name), 'utf8'))).filter(({ object }) => object === type)
    return objects.sort((a, b) => b.created - a.created || (a.id < b.id ? 1 : -1))
}

// The objects after the cursor `after`, and whether there are more than `limit`.
function pageOf(objects, query, after) {
    const limit = Number(query.get('limit') ?? 10)
    const from = after ? objects.findIndex(({ id }) => id === after) + 1 : 0
    if (after && from === 0) throw missing(400, 'object', after)
    return { data: objects.slice(from, from + limit), has_more: objects.length > from + limit }
}

const listOf = (url, objects, query) => ({ object: 'list', url, ...pageOf(objects, query, query.get('starting_after')) })

const ended = ['canceled', 'incomplete_expired']

function listSubscriptions(path, query) {
    const status = query.get('status'), customer = query.get('customer'), since = Number(query.get('created[gte]') ?? 0)
    const hasStatus = each => status === 'all' || (status ? each.status === status : !ended.includes(each.status))
    const matches = each => hasStatus(each) && each.created >= since && (!customer || each.customer === customer)
    return listOf(path, objectsOf('subscription').filter(matches), query)
}

// Knows one form of query: metadata['userId']:'…'. As Stripe does, it compares without regard to case.
function searchSubscriptions(path, query) {
    const [, text] = /^metadata\['userId'\]:'((?:[^'\\]|\\.)*)'$/su.exec(query.get('query') ?? '') ?? []
    if (text === undefined) throw stripeError(400, { param: 'query', message: "This simulation finds only metadata['userId']:'…'." })
    const user = text.replace(/\\(.)/gsu, '$1').toLowerCase()
    const found = objectsOf('subscription').filter(({ metadata }) => metadata?.userId?.toLowerCase() === user)
    const page = pageOf(found, query, query.get('page'))
    return { object: 'search_result', url: path, ...page, next_page: page.has_more ? page.data.at(-1).id : null }
}

// Throws an error with the HTTP status `status` if there is no such subscription.
function subscriptionOf(id, status) {
    const found = objectsOf('subscription').find(each => each.id === id)
    if (!found) throw missing(status, 'subscription', id)
    return found
}

function listItems(path, query) {
    const items = subscriptionOf(query.get('subscription'), 400).items?.data ?? []
    return listOf(path, items.map(item => ({ object: 'subscription_item', ...item })), query)
}

function listInvoicePayments(path, query) {
    const intent = query.get('payment[payment_intent]')
    return listOf(path, objectsOf('invoice_payment').filter(({ payment }) => !intent || payment?.payment_intent === intent), query)
}

const lists = {
    '/v1/subscriptions': listSubscriptions,
    '/v1/subscriptions/search': searchSubscriptions,
    '/v1/subscription_items': listItems,
    '/v1/invoice_payments': listInvoicePayments,
}

function answerPayments(path, query) {
    if (Object.hasOwn(lists, path)) return JSON.stringify(lists[path](path, query))
    const unknown = stripeError(404, { message: `Unrecognized request URL: ${path}` })
    const [, id] = /^\/v1\/subscriptions\/([^/]+)$/.exec(path) ?? []
    if (!id) throw unknown
    return JSON.stringify(subscriptionOf(decoded(id, unknown), 404))
}

const start = {
    dns: serveDns,
    purchases: () => serveHttp(answerSubscriber, '{"message": "Internal server error."}'),
    payments: () => serveHttp(answerPayments, '{"error": {"type": "api_error", "message": "Internal server error."}}'),
}[service]
if (!start || !source || !/^\d{1,5}$/.test(port ?? '')) {
    console.error('usage: node scripts/standins.mjs dns RECORDS PORT\n       node scripts/standins.mjs purchases SUBSCRIBERS PORT\n'
        + '       node scripts/standins.mjs payments OBJECTS PORT')
    process.exit(2)
}
start()
