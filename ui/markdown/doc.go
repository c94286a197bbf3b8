// Package markdown draws markdown as rows of a terminal.
//
// Guarantees:
//
//   - Every row takes at most the asked width in cells and is self-contained,
//     as package rows defines it. Each block gives at least one row.
//   - Whatever goes in, no control character and no escape sequence but colours
//     and links to addresses of the web and of mail comes out: input is
//     sanitised, and so is what entities stand for.
//   - A [Stream] that gets a text piece by piece shows at every moment the text
//     that [Render] shows of the same prefix. Only colour may lag: a code fence
//     is plain until it closes.
//   - Nothing that arrives later changes how earlier, finished blocks are
//     broken into rows. That is why reference links stay as they were written:
//     their definitions usually come last and are shown like text.
//   - Hostile input costs little: nesting, links per block, and the size of
//     tables and highlighted code are limited, and what is beyond a limit is
//     shown as plain text.
//
// The dialect is CommonMark with tables, strikethrough, task lists, bare links,
// footnotes, each shown where it stands, and formulas of TeX, drawn as they were
// written. A [Renderer] and its streams belong to one goroutine.
package markdown
