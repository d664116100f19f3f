// Compares the rate at which notify delivers emails to a local SMTP server (smtp-sink of Postfix) with the load generator smtp-source, which
// sends messages of the same size over 20 connections to the same server, in alternating rounds.
import { execFile } from 'node:child_process'
import { connect } from 'node:net'
import { promisify } from 'node:util'
import { compose, drive, now } from './connections.mjs'
import { addTable, addText, charged, env, inTurn, medianRatio, medians, options, sleep, start, stop } from './lib.mjs'
import { acceptedId, pid, port, sql } from './notify_load.mjs'
import { atLeast, grouped, k, us } from './report.mjs'

const execute = promisify(execFile)
const emails = Number(options.emails ?? 10_000) // a round
const sessions = 20
const smtpPort = Number(new URL(process.env.NOTIFY_SMTP_URL).port)
const address = `inet:127.0.0.1:${smtpPort}`
const messageSize = 1_500 // bytes, about the size of the email from the template `order`

// /usr/sbin is not in the PATH of every user.
const tool = name => `/usr/sbin/${name}`
const account = process.getuid() === 0 ? ['-u', 'nobody'] : [] // the sink refuses to run as root

async function startSink() {
    const sink = start(tool('smtp-sink'), [...account, `127.0.0.1:${smtpPort}`, '1000'])
    for (let i = 0; i < 200; i++) {
        const isOpen = await new Promise(known => {
            const socket = connect(smtpPort, '127.0.0.1', () => known(true)).on('error', () => known(false)).on('connect', () => socket.destroy())
        })
        if (isOpen) return sink
        await sleep(25)
    }
    throw new Error('smtp-sink does not answer')
}

// With `keeps`, each session sends all its messages over one connection. Otherwise it opens a connection for each message.
async function source(keeps) {
    const begun = performance.now()
    await execute(tool('smtp-source'), ['-s', String(sessions), '-m', String(emails), '-l', String(messageSize), ...keeps ? ['-d'] : [],
        '-f', 'notify@example.com', '-t', 'ada@example.org', address])
    return { rate: emails / (performance.now() - begun) * 1000 }
}

function emailRequest(key, n) {
    const body = { templateName: 'order', channel: 'email', to: `user-${n}@example.org`, variables: { name: 'Ada', number: `${n}` } }
    return compose('POST', env.NOTIFY_HOST, '/v1/notifications/send', key, body)
}

// Sends emails of the production environments as fast as they are accepted, and waits until all are sent. The service stores the times:
// from the first acceptance until the last answer of the SMTP server.
async function send(keys) {
    const begun = sql('SELECT clock_timestamp()')
    const ours = `channel = 'email' AND created_at >= '${begun}'`
    let n = 0
    const figures = await charged(pid, async () => {
        await drive(port, 32, {
            next: () => n < emails ? emailRequest(keys[2 * (n % (keys.length / 2))], n++) : undefined, take: acceptedId,
        })
        for (let left = emails, patience = now() + 60_000; left > 0; await sleep(100)) {
            const still = Number(sql(`SELECT count(*) FROM notifications WHERE ${ours} AND status = 'queued'`))
            if (still < left) patience = now() + 60_000
            if (now() > patience) throw new Error(`${still} of ${emails} emails are not sent`)
            left = still
        }
        return { sent: emails }
    })
    const [sent, took] = sql(`SELECT count(*), extract(epoch FROM max(sent_at) - min(created_at)) FROM notifications
                              WHERE ${ours} AND status = 'sent'`).split('|').map(Number)
    if (sent !== emails) throw new Error(`${sent} of ${emails} emails are sent`)
    return { ...figures, rate: emails / took }
}

export async function emailFigures(keys) {
    const sink = await startSink()
    try {
        return await inTurn('emails', { source: () => source(false), kept: () => source(true), service: () => send(keys) }, { swaps: true })
    } finally {
        await stop(sink)
    }
}

export function addEmails(found) {
    const { service, source, kept } = medians(found)
    addTable([`${grouped(emails)} emails to smtp-sink`, 'emails/s', 'CPU µs/email: service', 'PostgreSQL', `smtp-source -s ${sessions}`,
        'rate ÷ smtp-source', `smtp-source -s ${sessions} -d`], [
        ['emails, from acceptance until sent', k(service.rate), us(service.cpu), us(service.database), k(source.rate),
            atLeast('emails: rate ÷ smtp-source', medianRatio(found.service, found.source, 'rate'), 0.5), k(kept.rate)],
    ])
    addText('smtp-source opens a connection for each message, or with `-d` sends all messages of a session over one connection.')
}
