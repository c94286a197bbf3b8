// Package attach makes an image that a user attaches fit to be sent to a model:
// it says what the bytes are, refuses what cannot be sent, and makes smaller what is
// too large.
//
// Guarantees:
//
//   - What a file is, its content tells, never its name. PNG, JPEG, GIF and WebP are
//     images; everything else is refused with an [*Error] that says what it is, as far
//     as that can be told, and what to do.
//   - An image that is returned can be read to its end: what is cut off or damaged is
//     refused here and not by the model, with every later request of the conversation.
//     A WebP, which cannot be decoded here, is held to its headers and its length.
//   - An image is refused by the figures of its header when it would take more than
//     [MaxMemory] to decode; nothing is decoded before that.
//   - The result is within the [Limits]. What already is, is returned byte for byte,
//     unless it lies on its side by its EXIF data or is an animation, of which the first
//     picture is kept. The same bytes give the same result.
//   - Names are reduced to the last element of a path, see [Name]: where a file lies is
//     no one's business but the user's.
//
// Sizes are in bytes, dimensions in pixels. Functions keep nothing and are safe for
// concurrent use.
package attach
