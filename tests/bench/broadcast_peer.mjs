// Sends `devices` pushes over `connections` sessions of node:http2, `streams` at a time on each session. Prints the rate and the CPU µs per
// push. The argument is JSON: {url, token, body, devices, connections, streams}.
import http2 from 'node:http2'

const { url, token, body, devices, connections, streams } = JSON.parse(process.argv[2])
const { origin, pathname } = new URL(url)
const headers = {
    ':method': 'POST', ':path': pathname, 'content-type': 'application/json', authorization: token, 'content-length': body.length,
}
let left = devices

function push(session) {
    return new Promise((done, failed) => {
        const stream = session.request(headers)
        let text = ''
        stream.setEncoding('utf8')
        stream.on('response', answer => { if (answer[':status'] !== 200) failed(new Error(`${answer[':status']}`)) })
        stream.on('data', chunk => { text += chunk })
        stream.on('end', () => done(JSON.parse(text).name))
        stream.on('error', failed)
        stream.end(body)
    })
}
async function lane(session) {
    while (left-- > 0) await push(session)
}

const sessions = Array.from({ length: connections }, () => http2.connect(origin))
const begun = performance.now(), cpu = process.cpuUsage()
await Promise.all(sessions.flatMap(session => Array.from({ length: streams }, () => lane(session))))
const seconds = (performance.now() - begun) / 1000, { user, system } = process.cpuUsage(cpu)
for (const session of sessions) session.close()
console.log(JSON.stringify({ rate: devices / seconds, cpu: (user + system) / devices }))
