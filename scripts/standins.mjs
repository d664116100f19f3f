// Simulates one internet service in a local run: DNS, or the purchase provider (RevenueCat's GET /v1/subscribers/{userId}).
//
//     node scripts/standins.mjs dns RECORDS PORT
//     node scripts/standins.mjs purchases SUBSCRIBERS PORT
//
// RECORDS is a file with one TXT record per line, {"name", "type": "TXT", "value"}. SUBSCRIBERS is a folder with one file per user,
// `<userId>.json`; a user without a file has bought nothing. The program reads RECORDS or SUBSCRIBERS again for each request. PORT 0
// stands for any free port. The program listens on loopback only, and prints `listening on 127.0.0.1:PORT` when it is ready. A request
// that fails does not end the program.
import { createSocket } from 'node:dgram'
import { readFileSync } from 'node:fs'
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

// --- the purchase provider

const emptySubscriber = () => JSON.stringify({
    request_date: new Date().toISOString(),
    subscriber: { first_seen: new Date().toISOString(), entitlements: {}, subscriptions: {}, non_subscriptions: {} },
})

function answerSubscriber(request, response) {
    const reply = (status, body) => response.writeHead(status, { 'Content-Type': 'application/json' }).end(body)
    try {
        const user = /^\/v1\/subscribers\/([^/?]+)$/.exec(request.url)?.[1]
        const name = user && decodeURIComponent(user)
        if (request.method !== 'GET' || !name || /[/\0]|^\.\.?$/.test(name)) {
            reply(404, '{"code": 7259, "message": "Not found."}')
            return
        }
        reply(200, readIfThere(join(source, `${name}.json`)) ?? emptySubscriber())
    } catch (error) {
        if (error instanceof URIError) {
            reply(400, '{"message": "The user id is not valid percent-encoded UTF-8."}')
            return
        }
        log(error)
        reply(500, '{"message": "Internal server error."}')
    }
}

function servePurchases() {
    const server = createServer(answerSubscriber)
    server.on('connection', socket => socket.on('error', log))
    server.once('error', fail)
    server.listen(Number(port), address, () => {
        server.off('error', fail).on('error', log)
        announce(server)
    })
}

const start = { dns: serveDns, purchases: servePurchases }[service]
if (!start || !source || !/^\d{1,5}$/.test(port ?? '')) {
    console.error('usage: node scripts/standins.mjs dns RECORDS PORT\n       node scripts/standins.mjs purchases SUBSCRIBERS PORT')
    process.exit(2)
}
start()
