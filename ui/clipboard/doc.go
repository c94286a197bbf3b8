// Package clipboard reads an image off the clipboard of the machine that the program
// runs on, with the tools that are there for it.
//
// Guarantees:
//
//   - A read takes at most [Patience] in all, whatever the tools do, and brings at most
//     [MaxBytes].
//   - Tools get fixed command lines and no input. What they write is taken as bytes; it
//     is for the caller to find out whether these are an image.
//   - What is missing is said: an [*Error] names the tools that would be needed, or
//     tells that the clipboard holds no image.
//
// Nothing is kept between reads. Functions are safe for concurrent use.
package clipboard
