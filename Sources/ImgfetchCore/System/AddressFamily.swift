/// The addresses of a name that are wanted.
package enum AddressFamily: Sendable { case any, v4, v6 }
