"""From bytes to trees and slices that can be trusted: decoding, repair, recovery. Pure."""
