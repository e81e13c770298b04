# What Python's own interface for methods does not tell of quick_calls.cpp.

formgate.core._native.Engine.advance$:
    def advance(self, state: State, token: int) -> State:
        """
        The state after one more token. Raises TokenError when it is not allowed.
        """

formgate.core._native.Engine.fill_mask$:
    def fill_mask(self, state: State, out: Any, row: int = 0) -> None:
        """Write the mask into a row of a MaskBuffer or of an int32 array."""
