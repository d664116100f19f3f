// The report of the benchmarks: the replaced region of the page, the tables and the plot.
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import test from 'node:test'
import { pathToFileURL } from 'node:url'
import { atLeast, atMost, docs, markdown, misses, plot, replaceRegion, write } from './report.mjs'

const benchmarks = ['feedback', 'auth-mfa', 'notify', 'broadcast', 'billing', 'erasure']
const parts = [
    'A machine.',
    { head: ['rates', 'requests/s', 'rate ÷ peer'], rows: [
        ['peer', '10', '1 ×'],
        ['get', '25', atLeast('get: rate ÷ peer', 2.5, 2)],
        ['list', '5', atLeast('list: rate ÷ peer', 0.5, 0.75)],
    ] },
    { head: ['memory', 'measured'], rows: [
        ['at rest', atMost('at rest', 20.66, 25, 'MB')],
        ['<busy> & "more"', atMost('<busy> & "more"', 300, 100, 'MB')],
        ['short of nothing'],
    ] },
    { head: ['no limits'], rows: [['x']] },
]

// Fails unless tags are balanced, attributes quoted, and `&` and `<` escaped. Returns the text of each element by name.
function parsed(svg) {
    const open = [], texts = {}
    const token = /<(\/?)([a-z]+)((?:\s+[\w:-]+="[^"<&]*(?:&(?:amp|lt|gt|quot|#39);[^"<&]*)*")*)\s*(\/?)>|([^<]+)/gy
    let end = 0
    for (const [all, closing, name, , empty, text] of svg.matchAll(token)) {
        end += all.length
        if (text !== undefined) {
            assert.doesNotMatch(text, /&(?!(amp|lt|gt|quot|#39);)/)
            if (text.trim()) (texts[open.at(-1)] ??= []).push(text)
        } else if (closing) assert.equal(open.pop(), name)
        else if (!empty) open.push(name)
    }
    assert.equal(end, svg.length, `not well-formed: ${svg.slice(end, end + 80)}`)
    assert.deepEqual(open, [])
    return texts
}

const page = '# Title\n\n<!-- scripts/bench a -->\n\nold $1\n\n<!-- end -->\nby hand\n<!-- scripts/bench b -->\n<!-- end -->\nend\n'

test('a region is replaced and the other text stays', () => {
    const first = replaceRegion(page, 'a', "new $& $' text")
    assert.equal(first, page.replace('old $1', () => "new $& $' text"))
    assert.equal(replaceRegion(first, 'a', 'old $1'), page)
    assert.equal(replaceRegion(page, 'b', 'b'), page.replace('b -->\n', 'b -->\n\nb\n\n'))
})

test('missing, repeated and unordered marks are errors that name the marks', () => {
    const expected = /docs\/benchmarks\.md needs the line "<!-- scripts\/bench a -->" once, and after it the line "<!-- end -->"/
    const bad = [
        '', page.replace('<!-- scripts/bench a -->', ''), page + page, page.replace('old $1\n\n<!-- end -->\n', ''),
        '<!-- end -->\n<!-- scripts/bench a -->\n',
    ]
    for (const each of bad) assert.throws(() => replaceRegion(each, 'a', 'new'), expected)
})

test('a minimum is missed below the limit and a maximum above it, by the printed digits', () => {
    assert.deepEqual([0.99, 1, 1.01].map(value => misses(atLeast('', value, 1))), [true, false, false])
    assert.deepEqual([0.99, 1, 1.01].map(value => misses(atMost('', value, 1))), [false, false, true])
    assert.deepEqual([1.304, 1.306].map(value => misses(atMost('', value, 1.3))), [false, true])
    assert.deepEqual([0, NaN].map(value => misses(atLeast('', value, 1))), [true, true])
    assert.ok(!misses(atMost('', 0, 1, 'ms')))
})

test('tables show the limits and mark the figures that miss them', () => {
    assert.equal(markdown(parts), [
        'A machine.', '',
        '| rates | requests/s | rate ÷ peer | limit |', '|---|---|---|---|', '| peer | 10 | 1 × |  |', '| get | 25 | 2.50 × | 2 × |',
        '| list | 5 | **0.50 ×** ✗ | 0.75 × |', '',
        '| memory | measured | limit |', '|---|---|---|', '| at rest | 20.7 MB | 25 MB |', '| <busy> & "more" | **300.0 MB** ✗ | 100 MB |',
        '| short of nothing |  |  |', '',
        '| no limits |', '|---|', '| x |',
    ].join('\n'))
})

test('the plot is well-formed, and shows each value, limit and miss', () => {
    const svg = plot('some & more', parts), { title, desc, text } = parsed(svg)
    assert.deepEqual(title, ['some &amp; more: measured figures and their limits'])
    assert.deepEqual(desc[0].split('\n').map(line => line.trim()), [
        'get: rate ÷ peer: 2.50 ×, limit at least 2 ×, within its limit.',
        'list: rate ÷ peer: 0.50 ×, limit at least 0.75 ×, misses its limit.',
        'at rest: 20.7 MB, limit at most 25 MB, within its limit.',
        '&lt;busy&gt; &amp; &quot;more&quot;: 300.0 MB, limit at most 100 MB, misses its limit.',
    ])
    for (const shown of ['Rates', 'Memory', 'get: rate ÷ peer', '2.50 ×', 'at least 0.75 ×', '300.0 MB', 'at most 25 MB', '2 within', '2 missed'])
        assert.ok(text.includes(shown), shown)
    assert.ok(!text.includes('No limits'))
    assert.equal(text.filter(each => each === 'misses limit').length, 2)
})

test('in the plot a longer bar is better, and long bars are cut off', () => {
    const bars = list => [...plot('x', [{ head: ['h'], rows: list.map(figure => [figure]) }]).matchAll(/<path class="(\w+)" d="M(\d+) [\d.]+ H([\d.]+) (l?)/g)]
        .map(([, verdict, from, to, arrow]) => ({ verdict, length: to - from, cut: arrow === 'l' }))
    const [low, high, over, max, half, none] = bars([atLeast('', 1.5, 1), atMost('', 2, 3), atLeast('', 20, 1), atLeast('', 3, 1), atLeast('', 1, 2), atLeast('', NaN, 2)])
    assert.equal(low.length, high.length)
    assert.deepEqual([over.length, over.cut, max.cut], [max.length, true, false])
    assert.ok(Math.abs(max.length - 6 * half.length) < 1)
    assert.deepEqual([low, over, half, none].map(each => each.verdict), ['within', 'within', 'missed', 'missed'])
    assert.equal(none.length, 0)
})

test('the plot and the region are written, with an alternative text', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'bench-report-'))
    try {
        mkdirSync(`${folder}/images`)
        writeFileSync(`${folder}/benchmarks.md`, page)
        const at = pathToFileURL(`${folder}/`)
        write('a', parts, at)
        assert.equal(readFileSync(`${folder}/images/benchmark-a.svg`, 'utf8'), plot('a', parts))
        const image = '![Bar chart of a: 2 of 4 figures are within their limits. Missed: list: rate ÷ peer (0.50 ×, limit at least 0.75 ×); ' +
            '<busy> & "more" (300.0 MB, limit at most 100 MB).](images/benchmark-a.svg)'
        assert.equal(readFileSync(`${folder}/benchmarks.md`, 'utf8'), page.replace('old $1', () => `${image}\n\n${markdown(parts)}`))
        assert.throws(() => write('c', parts, at), /needs the line/)
    } finally {
        rmSync(folder, { recursive: true })
    }
})

test('the page has a region with a plot for each benchmark', () => {
    const text = readFileSync(new URL('benchmarks.md', docs), 'utf8')
    for (const name of benchmarks) {
        replaceRegion(text, name, '') // fails without the marks
        assert.match(text, new RegExp(`<!-- scripts/bench ${name} -->\n\n!\\[.+\\]\\(images/benchmark-${name}\\.svg\\)\n`))
        parsed(readFileSync(new URL(`images/benchmark-${name}.svg`, docs), 'utf8'))
    }
})
