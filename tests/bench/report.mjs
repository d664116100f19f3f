// Tables, plot and page of the benchmarks. A benchmark hands over a list of parts, from which both the Markdown and the plot are made.
// A part is a paragraph (a string) or a table, { head, rows }. A cell of a table is a string or a figure with a limit,
// { label, value, unit, limit, better }: `better` is 'higher' if the limit is a minimum, 'lower' if it is a maximum.
import { readFileSync, writeFileSync } from 'node:fs'

export const docs = new URL('../../docs/', import.meta.url)

export const us = n => n.toFixed(1)
export const k = n => n >= 1000 ? `${(n / 1000).toFixed(1)}k` : n.toFixed(0)
export const times = n => `${n.toFixed(2)} ×`
export const grouped = n => n.toLocaleString('en')

// --- figures with a limit --------------------------------------------------------------------------------------------------------

// `label` names the figure in the plot, in at most about 45 characters.
export const atLeast = (label, value, limit, unit = '×') => ({ label, value, unit, limit, better: 'higher' })
export const atMost = (label, value, limit, unit = '×') => ({ label, value, unit, limit, better: 'lower' })

const isFigure = cell => typeof cell === 'object'
const decimals = (n, unit) => n.toFixed(unit === '×' ? 2 : 1)
const valueOf = ({ value, unit }) => `${decimals(value, unit)} ${unit}`
const limitOf = ({ limit, unit }) => `${Number(decimals(limit, unit))} ${unit}`
const bound = f => `${f.better === 'higher' ? 'at least' : 'at most'} ${limitOf(f)}`

// The margin of a figure: 1 at the limit, more than 1 within the limit. It is computed from the printed digits, so that it never
// contradicts them.
function margin({ value, unit, limit, better }) {
    const [v, l] = [value, limit].map(n => Number(decimals(n, unit)))
    return better === 'higher' ? v / l : l / v
}
export const misses = figure => !(margin(figure) >= 1) // a value that is not a number misses its limit

// The figures of each table, under the heading of its first column.
const groupsOf = parts => parts.filter(part => part.rows)
    .map(({ head, rows }) => ({ title: head[0], figures: rows.flat().filter(isFigure) })).filter(({ figures }) => figures.length > 0)
const figuresOf = parts => groupsOf(parts).flatMap(group => group.figures)

// --- Markdown --------------------------------------------------------------------------------------------------------------------

// A column with figures becomes two: the values, where a missed limit is bold and marked, and the limits.
function markdownTable({ head, rows }) {
    const withLimit = head.map((_, i) => rows.some(row => isFigure(row[i])))
    const line = cells => `| ${cells.join(' | ')} |`
    const cells = (cell = '', i) => {
        if (!withLimit[i]) return [cell]
        if (!isFigure(cell)) return [cell, '']
        return [misses(cell) ? `**${valueOf(cell)}** ✗` : valueOf(cell), limitOf(cell)]
    }
    const heads = head.flatMap((cell, i) => withLimit[i] ? [cell, 'limit'] : [cell])
    return [line(heads), `|${'---|'.repeat(heads.length)}`, ...rows.map(row => line(head.flatMap((_, i) => cells(row[i], i))))].join('\n')
}

export const markdown = parts => parts.map(part => part.rows ? markdownTable(part) : part).join('\n\n')

// --- the plot --------------------------------------------------------------------------------------------------------------------

const width = 900, side = 28, top = 128, rowHeight = 28, titleHeight = 38, barHeight = 14
const most = 3 // the margin at which bars are cut off
const columns = { bar: 372, mark: 672, value: 766, limit: 778 } // x of the bars, the marks, the values' ends, the limits
const perMargin = (columns.mark - 28 - columns.bar) / most

const style = `
    .page { fill: #ffffff; stroke: #d0d7de; }
    .track { fill: #f0f3f6; }
    .tick { stroke: #d8dee4; }
    .limit { stroke: #1f2328; stroke-width: 2; }
    .within { fill: #2f81f7; }
    .missed { fill: #d1470c; }
    .sign { stroke: #ffffff; stroke-width: 2; fill: none; stroke-linecap: round; stroke-linejoin: round; }
    text { fill: #1f2328; }
    .name { font-weight: 600; }
    .small { fill: #57606a; font-size: 12px; }
    .miss { fill: #b93a06; font-weight: 600; font-size: 11.5px; }
    @media (prefers-color-scheme: dark) {
      .page { fill: #0d1117; stroke: #30363d; }
      .track { fill: #1c2129; }
      .tick { stroke: #30363d; }
      .limit { stroke: #e6edf3; }
      .within { fill: #388bfd; }
      .missed { fill: #e5692e; }
      .sign { stroke: #0d1117; }
      text { fill: #e6edf3; }
      .small { fill: #adb5bd; }
      .miss { fill: #ff9b6a; }
    }`

const escaped = text => text.replace(/[&<>"']/g, c => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' })[c])
const text = (x, y, content, more = '') => `<text x="${x}" y="${y}"${more && ` ${more}`}>${escaped(content)}</text>`
const capitalized = words => words[0].toUpperCase() + words.slice(1)

// A round mark with a tick or a cross, around (x, y).
const mark = (x, y, missed) => `<g transform="translate(${x} ${y})"><circle class="${missed ? 'missed' : 'within'}" r="8"/>` +
    `<path class="sign" d="${missed ? 'M-3 -3 L3 3 M3 -3 L-3 3' : 'M-3.5 0.5 L-1 3 L3.5 -2.5'}"/></g>`

// A bar around the height y. An arrow head shows that it is cut off.
function bar(figure, y) {
    const length = Math.min(margin(figure), most) * perMargin || 0
    const [from, to, half] = [columns.bar, (columns.bar + length).toFixed(1), barHeight / 2]
    const head = margin(figure) > most ? `l8 ${half} l-8 ${half}` : `v${barHeight}`
    return `<path class="${misses(figure) ? 'missed' : 'within'}" d="M${from} ${y - half} H${to} ${head} H${from} z"/>`
}

function plotRow(figure, y) {
    const missed = misses(figure)
    return [
        text(side, y + 5, figure.label),
        bar(figure, y),
        ...missed ? [text(columns.bar + perMargin + 8, y + 4, 'misses limit', 'class="miss"')] : [],
        mark(columns.mark, y, missed),
        text(columns.value, y + 5, valueOf(figure), 'class="name" text-anchor="end"'),
        text(columns.limit, y + 5, bound(figure), 'class="small"'),
    ]
}

const margins = Array.from({ length: most + 1 }, (_, n) => ({ n, x: columns.bar + n * perMargin }))
const axis = margins.map(({ n, x }) => text(x, top - 6, n === 0 ? '0' : n === 1 ? 'limit' : `${n} ×`,
    `class="${n === 1 ? 'name' : 'small'}" text-anchor="middle"`))

// A title, and a row for each figure, from the height y on.
function plotGroup({ title, figures }, y) {
    const first = y + titleHeight, last = first + figures.length * rowHeight
    const line = ({ n, x }) => `<path class="${n === 1 ? 'limit' : 'tick'}" d="M${x} ${first} V${last}"/>`
    const rowAt = i => first + (i + 0.5) * rowHeight
    return [
        text(side, first - 10, capitalized(title), 'class="name"'),
        ...figures.map((_, i) => `<rect class="track" x="${columns.bar}" y="${rowAt(i) - barHeight / 2}" width="${most * perMargin}" ` +
            `height="${barHeight}"/>`),
        ...margins.filter(({ n }) => n !== 1).map(line),
        ...figures.flatMap((figure, i) => plotRow(figure, rowAt(i))),
        line(margins[1]),
    ]
}

const subtitle = [
    'Longer is better: a bar that reaches the line is within its limit. Its length is measured ÷ limit for a minimum (at least),',
    `and limit ÷ measured for a maximum (at most). Bars with an arrow head continue beyond ${most} ×.`,
]

// A bar chart as SVG: each figure relative to its limit, so that for every figure a longer bar is better.
export function plot(name, parts) {
    const figures = figuresOf(parts), missed = figures.filter(misses).length
    const groups = []
    let y = top
    for (const group of groupsOf(parts)) {
        groups.push(...plotGroup(group, y))
        y += titleHeight + group.figures.length * rowHeight
    }
    const height = y + 20
    const description = figures.map(f => `${f.label}: ${valueOf(f)}, limit ${bound(f)}, ${misses(f) ? 'misses' : 'within'} its limit.`)
    return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title desc"
     font-family="-apple-system, 'Segoe UI', Helvetica, Arial, sans-serif" font-size="13">
  <title id="title">${escaped(`${name}: measured figures and their limits`)}</title>
  <desc id="desc">${description.map(escaped).join('\n  ')}</desc>
  <style>${style}
  </style>
  ${[
        `<rect class="page" x="1" y="1" width="${width - 2}" height="${height - 2}" rx="10"/>`,
        text(side, 42, `${name}: margin to the limits`, 'class="name" font-size="19"'),
        mark(columns.mark, 36, false), text(columns.mark + 15, 41, `${figures.length - missed} within`),
        ...missed > 0 ? [mark(columns.mark + 100, 36, true), text(columns.mark + 115, 41, `${missed} missed`)] : [],
        ...subtitle.map((line, i) => text(side, 68 + 18 * i, line, 'class="small"')),
        ...axis, ...groups,
    ].join('\n  ')}
</svg>
`
}

// --- the page --------------------------------------------------------------------------------------------------------------------

// Replaces the text between the marks of `name`. The other text stays.
export function replaceRegion(page, name, content) {
    const begin = `<!-- scripts/bench ${name} -->\n`, end = '<!-- end -->'
    const [before, after, ...more] = page.split(begin)
    const to = after?.indexOf(end)
    if (after === undefined || more.length > 0 || to < 0 || after.slice(0, to).includes('<!-- scripts/bench'))
        throw new Error(`docs/benchmarks.md needs the line "${begin.trim()}" once, and after it the line "${end}". Restore these lines.`)
    return `${before}${begin}\n${content}\n\n${after.slice(to)}`
}

// Returns the text between the marks: the plot with its alternative text, and the tables.
function region(name, parts) {
    const figures = figuresOf(parts), missed = figures.filter(misses).map(f => `${f.label} (${valueOf(f)}, limit ${bound(f)})`)
    const within = missed.length > 0 ? `${figures.length - missed.length} of ${figures.length}` : `all ${figures.length}`
    const alt = `Bar chart of ${name}: ${within} figures are within their limits.` + (missed.length > 0 ? ` Missed: ${missed.join('; ')}.` : '')
    return `![${alt}](images/benchmark-${name}.svg)\n\n${markdown(parts)}`
}

// Writes the plot and the region of benchmarks.md. `folder` is the URL of the folder docs, with a slash at its end.
export function write(name, parts, folder = docs) {
    const file = new URL('benchmarks.md', folder)
    const page = replaceRegion(readFileSync(file, 'utf8'), name, region(name, parts))
    writeFileSync(new URL(`images/benchmark-${name}.svg`, folder), plot(name, parts))
    writeFileSync(file, page)
}
