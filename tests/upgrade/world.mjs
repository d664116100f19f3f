// A cluster under load, and the final checks. rolling.mjs and secrets.mjs use both.
import { existsSync, readFileSync } from 'node:fs'
import { Cluster, serviceNamed, services } from './cluster.mjs'
import { Process, eventually } from './processes.mjs'
import { AuthTraffic } from './traffic/auth-mfa.mjs'
import { BillingTraffic } from './traffic/billing.mjs'
import { FeedbackTraffic } from './traffic/feedback.mjs'
import { NotifyTraffic } from './traffic/notify.mjs'

export const options = Object.fromEntries(process.argv.slice(2).map(word => word.replace(/^--/, '').split('=')))
export const say = text => console.log(`${new Date().toISOString().slice(11, 19)}  ${text}`)

const appleProgram = new URL('../notify/node/apns.mjs', import.meta.url).pathname

class World {
    async start() {
        this.cluster = new Cluster(Object.fromEntries(services.map(({ name }) => [name, options[name]])))
        const { folder } = this.cluster
        const texts = `${folder}/texts.jsonl`, emails = `${folder}/emails`
        const blobs = name => ({ BLOB_DIR: `${folder}/blobs-${name}` })
        await this.cluster.start({
            feedback: { ...blobs('feedback'), EMAIL_OUTBOX: `${folder}/feedback-emails` },
            'auth-mfa': { SMS_OUTBOX: texts, EMAIL_OUTBOX: `${folder}/account-emails`, SMS_SENDER_VERIFIED: 'true', SMS_SENDER_PER_MINUTE: '100000', REGISTRATIONS_PER_HOUR: '100000' },
            notify: {
                ...blobs('notify'), SMS_OUTBOX: `${folder}/notify-texts.jsonl`, EMAIL_OUTBOX: emails,
                APNS_BASE_URL: await this.startApple(folder),
            },
            billing: {},
        })
        const auth = new AuthTraffic(this.cluster, serviceNamed('auth-mfa'), texts)
        this.traffic = {
            'auth-mfa': auth,
            feedback: new FeedbackTraffic(this.cluster, serviceNamed('feedback'), auth),
            notify: new NotifyTraffic(this.cluster, serviceNamed('notify'), emails),
            billing: new BillingTraffic(this.cluster, serviceNamed('billing')),
        }
        // After each replaced replica, the load continues for a while, so that old and new replicas serve
        // requests together.
        this.cluster.onReplaced = service => this.traffic[service.name].serve(20)
        for (const traffic of Object.values(this.traffic)) await traffic.prepare()
        for (const traffic of Object.values(this.traffic)) await traffic.start()
    }

    // Starts the test server for Apple's push service; returns its address.
    async startApple(folder) {
        const log = `${folder}/apple`
        this.apple = new Process([process.execPath, appleProgram, '{}'], { log })
        const [line] = await eventually('the push service is up', () => existsSync(log) && /^\{.*\}$/m.exec(readFileSync(log, 'utf8')))
        return `http://127.0.0.1:${JSON.parse(line).port}`
    }

    each(work) { return Promise.all(Object.values(this.traffic).map(work)) }

    // Waits until every service has answered `more` further requests.
    serve(more) { return this.each(traffic => traffic.serve(more)) }

    // Ends the load, checks the acknowledged writes and prints the table; returns the failures.
    async judge() {
        await this.each(traffic => traffic.stop())
        const wrong = (await this.each(async traffic => [...traffic.figures.failures, ...await traffic.verify()])).flat()
        wrong.push(...this.cluster.complaints().filter(line => line.includes('cut off')))
        console.log('| service | requests | failed | slowest, ms | slowest request | restarts | acknowledged writes, each found once |')
        console.log('|---|---|---|---|---|---|---|')
        for (const { name } of services) {
            const { figures, writes } = this.traffic[name]
            console.log(`| ${name} | ${figures.requests} | ${figures.failures.length} | ${figures.slowest.took.toFixed(0)} | ` +
                `${figures.slowest.what.replace(/[0-9a-f-]{36}/g, '…')} | ${this.cluster.restarts[name]} | ${writes} |`)
        }
        return wrong
    }
}

// Runs `scenario` in a world under load. Exits with 1 when there is any failure.
export async function under(load, scenario) {
    const world = new World()
    let wrong = []
    try {
        say(load)
        await world.start()
        await scenario(world)
        wrong = await world.judge()
    } catch (error) {
        wrong.push(error.stack, ...Object.values(world.traffic ?? {}).flatMap(({ figures }) => figures.failures))
    }
    await world.cluster.stop().catch(error => wrong.push(error.stack))
    for (const line of wrong.slice(0, 40)) console.error(line)
    if (wrong.length > 0) {
        console.error(`${wrong.length} failures; logs: ${world.cluster.folder}`)
        for (const line of world.cluster.complaints().slice(0, 40)) console.error(line)
        process.exit(1)
    }
    world.cluster.forget()
    process.exit(0)
}
