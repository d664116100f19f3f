// Sends mixed traffic to all named services at a moderate rate. Prints their use of resources and its growth. Ends with status 1 if a
// request failed, or a write was lost or doubled. Options: --feedback=PATH ... (the services' programs), --minutes=N.
import { Stand, chosen, head, on, options, row, say, sleep } from './stand.mjs'

const minutes = Number(options.minutes ?? 30)
const samples = 12
const megabyte = 2 ** 20

async function look(stand, loads) {
    const sample = {}
    for (const { service: { name, database }, figures } of loads) {
        const [[connections]] = await stand.postgres.sql(database, `SELECT count(*) FROM pg_stat_activity WHERE usename = '${database}_service'`)
        const rows = await stand.postgres.sql(database,
            'SELECT relname, n_live_tup, pg_total_relation_size(relid) FROM pg_stat_user_tables ORDER BY relname')
        const tables = new Map(rows.map(([table, live, bytes]) => [table, { rows: Number(live), bytes: Number(bytes) }]))
        const bytes = [...tables.values()].reduce((sum, table) => sum + table.bytes, 0)
        sample[name] = { ...stand.status(name), connections: Number(connections), tables, bytes, requests: figures.requests }
    }
    return sample
}

function show(minute, sample) {
    for (const [name, { requests, rss, descriptors, connections, bytes }] of Object.entries(sample)) {
        row(minute.toFixed(1), name, requests, rss.toFixed(1), descriptors, connections, (bytes / megabyte).toFixed(1))
    }
}

// Returns the resources that have grown, from a third of the time to the end, by more than the usual fluctuation.
function grown(third, end) {
    const list = []
    for (const { name } of chosen) {
        const a = third[name], b = end[name]
        if (b.rss > 1.1 * a.rss + 2) list.push(`${name}: memory, ${a.rss.toFixed(1)} to ${b.rss.toFixed(1)} MB`)
        if (b.descriptors > a.descriptors + 10) list.push(`${name}: descriptors, ${a.descriptors} to ${b.descriptors}`)
        if (b.connections > a.connections + 2) list.push(`${name}: connections to PostgreSQL, ${a.connections} to ${b.connections}`)
        for (const [table, { rows, bytes }] of b.tables) {
            const before = a.tables.get(table) ?? { rows: 0, bytes: 0 }
            if (bytes <= before.bytes + megabyte) continue
            const perRow = (bytes - before.bytes) / Math.max(1, rows - before.rows)
            // A table may grow with its rows, by up to 4 KB for each new row with its index entries.
            const more = ((bytes - before.bytes) / megabyte).toFixed(1)
            if (perRow > 4096) list.push(`${name}: table ${table}, by ${more} MB for ${rows - before.rows} rows`)
        }
    }
    return list
}

function showTables(third, end) {
    console.log()
    head('service', 'table', 'rows after a third', 'at the end', 'MB after a third', 'at the end', 'bytes for each new row')
    for (const { name } of chosen) {
        for (const [table, { rows, bytes }] of end[name].tables) {
            const before = third[name].tables.get(table) ?? { rows: 0, bytes: 0 }
            if (bytes === before.bytes && rows === before.rows) continue
            const perRow = rows > before.rows ? ((bytes - before.bytes) / (rows - before.rows)).toFixed(0) : ''
            row(name, table, before.rows, rows, (before.bytes / megabyte).toFixed(2), (bytes / megabyte).toFixed(2), perRow)
        }
    }
}

await on(new Stand(), async stand => {
    say('starting the services')
    await stand.start(await stand.openProviders())
    const loads = await stand.makeLoads(25)
    await Promise.all(loads.map(load => load.start()))
    head('minute', 'service', 'requests', 'MB resident', 'descriptors', 'connections to PostgreSQL', 'MB of tables')
    const seen = []
    for (let n = 0; n <= samples; n++) {
        const sample = await look(stand, loads)
        seen.push(sample)
        show(minutes * n / samples, sample)
        say(`${(minutes * n / samples).toFixed(1)} of ${minutes} minutes`)
        if (n < samples) await sleep(minutes * 60_000 / samples)
    }
    await Promise.all(loads.map(load => load.stop()))
    const third = seen[samples / 3], end = seen.at(-1), wrong = [...stand.complaints]
    showTables(third, end)
    const list = grown(third, end)
    console.log(`\nGrowth from a third of the time to the end: ${list.length === 0 ? 'nothing' : list.join('; ')}.`)
    for (const load of loads) {
        wrong.push(...load.figures.failures, ...load.figures.unexpected.map(({ failure }) => failure))
        if (load.figures.errors.size > 0) wrong.push(`${load.service.name}: ${[...load.figures.errors].map(([kind, n]) => `${n} × ${kind}`)}`)
        for (const { what, acknowledged, found, lost, doubled } of await load.verify()) {
            console.log(`${load.service.name}: of ${acknowledged} ${what} ${found} exist, ${doubled.length} of them twice`)
            wrong.push(...lost.map(mark => `${load.service.name} has lost ${what} ${mark}`))
            wrong.push(...doubled.map(mark => `${load.service.name} has doubled ${what} ${mark}`))
        }
    }
    return wrong
})
