"""Special functions of mathematics."""

from __future__ import annotations

from tests.cases.dtype import PRECISE
from tests.cases.recipe import arrays, case, tensor

BESSEL = ("float32", "float64", "float16")
ANYWHERE = [(2, 5), (), (0,)]
POSITIVE = [((2, 5), "positive"), ((3,), "above_one"), (0,)]
AT_ZERO = {"second_order": "TensorFlow's is nan at 0, or 1"}
FAR = tensor([0.01, 0.5, 1.99, 2.01, 7.5, 30.0, 80.0], "float64")

CASES = [
    *(case(f"math.special.bessel_{kind}", arrays(ANYWHERE, BESSEL)) for kind in ("j0", "j1")),
    *(case(f"math.special.bessel_{kind}", arrays(POSITIVE, BESSEL)) for kind in ("y0", "y1", "k0", "k1", "k0e", "k1e")),
    *(case(f"math.special.bessel_{kind}", FAR) for kind in ("j0", "j1", "y0", "y1", "k0", "k1", "k0e", "k1e")),
    *(
        case(f"math.special.bessel_{kind}", tensor([-1.0, 0.0], "float32"))
        for kind in ("y0", "y1", "k0", "k1", "k0e", "k1e")
    ),
    *(case(f"math.special.{name}", arrays(ANYWHERE, PRECISE)) for name in ("dawsn", "fresnel_cos", "fresnel_sin")),
    *(case(f"math.special.{name}", arrays(POSITIVE, PRECISE)) for name in ("expint", "spence")),
    *(case(f"math.special.{name}", FAR) for name in ("dawsn", "fresnel_cos", "fresnel_sin", "expint", "spence")),
    *(
        case(f"math.special.{name}", tensor([-1.0, 0.0, 1.0], "float32")).without(**AT_ZERO)
        for name in ("expint", "spence")
    ),
    *(
        case(f"math.special.{name}", arrays((12,), fill="corners")).without(**AT_ZERO)
        for name in ("bessel_j0", "bessel_j1", "dawsn", "fresnel_cos", "fresnel_sin")
    ),
]
