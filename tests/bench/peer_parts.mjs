// The parts that the peers share.
import { randomBytes } from 'node:crypto'

// Runs `work` in one transaction. `begin` is the statement with the row-level security setting, as the service sends it.
export async function transact(pool, begin, work) {
    const client = await pool.connect()
    try {
        await client.query('BEGIN')
        await client.query(begin)
        const result = await work(client)
        await client.query('COMMIT')
        return result
    } catch (error) {
        await client.query('ROLLBACK')
        throw error
    } finally {
        client.release()
    }
}

export function uuidv7() {
    const bytes = randomBytes(16)
    bytes.writeUIntBE(Date.now(), 0, 6)
    bytes[6] = (bytes[6] & 0x0f) | 0x70
    bytes[8] = (bytes[8] & 0x3f) | 0x80
    const hex = bytes.toString('hex')
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
