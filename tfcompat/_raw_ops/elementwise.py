"""Elementwise kernels."""

from __future__ import annotations

from tfcompat._ops import identity
from tfcompat._ops.array import creation, gathering
from tfcompat._ops.debugging import value_assertion
from tfcompat._ops.elementwise import (
    algebraic,
    bessel,
    bitwise,
    comparison,
    complex_number,
    rounding,
    special,
    transcendental,
)
from tfcompat._ops.network import activation, clip
from tfcompat._raw_ops.kernel import kernel

# Of numbers.
Abs = kernel("Abs", algebraic.abs)
Add = kernel("Add", algebraic.add)
AddV2 = kernel("AddV2", algebraic.add)
Div = kernel("Div", algebraic.realdiv)
DivNoNan = kernel("DivNoNan", algebraic.divide_no_nan)
FloorDiv = kernel("FloorDiv", algebraic.floordiv)
FloorMod = kernel("FloorMod", algebraic.floormod)
Inv = kernel("Inv", algebraic.reciprocal)
Maximum = kernel("Maximum", algebraic.maximum)
Minimum = kernel("Minimum", algebraic.minimum)
Mul = kernel("Mul", algebraic.multiply)
MulNoNan = kernel("MulNoNan", algebraic.multiply_no_nan)
Neg = kernel("Neg", algebraic.negative)
NextAfter = kernel("NextAfter", algebraic.nextafter)
Pow = kernel("Pow", algebraic.pow)
RealDiv = kernel("RealDiv", algebraic.realdiv)
Reciprocal = kernel("Reciprocal", algebraic.reciprocal)
Rsqrt = kernel("Rsqrt", algebraic.rsqrt)
Sign = kernel("Sign", algebraic.sign)
Sqrt = kernel("Sqrt", algebraic.sqrt)
Square = kernel("Square", algebraic.square)
SquaredDifference = kernel("SquaredDifference", algebraic.squared_difference)
Sub = kernel("Sub", algebraic.subtract)
TruncateDiv = kernel("TruncateDiv", algebraic.truncatediv)
TruncateMod = kernel("TruncateMod", algebraic.truncatemod)

# Transcendental functions.
Acos = kernel("Acos", transcendental.acos)
Acosh = kernel("Acosh", transcendental.acosh)
Asin = kernel("Asin", transcendental.asin)
Asinh = kernel("Asinh", transcendental.asinh)
Atan = kernel("Atan", transcendental.atan)
Atan2 = kernel("Atan2", transcendental.atan2)
Atanh = kernel("Atanh", transcendental.atanh)
Cos = kernel("Cos", transcendental.cos)
Cosh = kernel("Cosh", transcendental.cosh)
Exp = kernel("Exp", transcendental.exp)
Expm1 = kernel("Expm1", transcendental.expm1)
Log = kernel("Log", transcendental.log)
Log1p = kernel("Log1p", transcendental.log1p)
Sigmoid = kernel("Sigmoid", transcendental.sigmoid)
Sin = kernel("Sin", transcendental.sin)
Sinh = kernel("Sinh", transcendental.sinh)
Tan = kernel("Tan", transcendental.tan)
Tanh = kernel("Tanh", transcendental.tanh)
Xdivy = kernel("Xdivy", transcendental.xdivy)
Xlog1py = kernel("Xlog1py", transcendental.xlog1py)
Xlogy = kernel("Xlogy", transcendental.xlogy)

# Special functions.
BesselI0 = kernel("BesselI0", special.bessel_i0)
BesselI0e = kernel("BesselI0e", special.bessel_i0e)
BesselI1 = kernel("BesselI1", special.bessel_i1)
BesselI1e = kernel("BesselI1e", special.bessel_i1e)
BesselJ0 = kernel("BesselJ0", bessel.bessel_j0)
BesselJ1 = kernel("BesselJ1", bessel.bessel_j1)
BesselK0 = kernel("BesselK0", bessel.bessel_k0)
BesselK0e = kernel("BesselK0e", bessel.bessel_k0e)
BesselK1 = kernel("BesselK1", bessel.bessel_k1)
BesselK1e = kernel("BesselK1e", bessel.bessel_k1e)
BesselY0 = kernel("BesselY0", bessel.bessel_y0)
BesselY1 = kernel("BesselY1", bessel.bessel_y1)
Betainc = kernel("Betainc", special.betainc)
Dawsn = kernel("Dawsn", special.dawsn)
Digamma = kernel("Digamma", special.digamma)
Erf = kernel("Erf", special.erf)
Erfc = kernel("Erfc", special.erfc)
Erfinv = kernel("Erfinv", special.erfinv)
Expint = kernel("Expint", special.expint)
FresnelCos = kernel("FresnelCos", special.fresnel_cos)
FresnelSin = kernel("FresnelSin", special.fresnel_sin)
Igamma = kernel("Igamma", special.igamma)
Igammac = kernel("Igammac", special.igammac)
Lgamma = kernel("Lgamma", special.lgamma)
Ndtri = kernel("Ndtri", special.ndtri)
Polygamma = kernel("Polygamma", special.polygamma)
Spence = kernel("Spence", special.spence)
Zeta = kernel("Zeta", special.zeta)

# Rounding and dtypes.
Bitcast = kernel("Bitcast", rounding.bitcast)
Cast = kernel("Cast", rounding.cast, "x DstT:dtype Truncate:!=False")
Ceil = kernel("Ceil", rounding.ceil)
Floor = kernel("Floor", rounding.floor)
Rint = kernel("Rint", rounding.rint)
Round = kernel("Round", rounding.round)

# Complex numbers.
Angle = kernel("Angle", complex_number.angle, "input Tout:>=tf.float32")
Complex = kernel("Complex", complex_number.complex, "real imag Tout:>=tf.complex64")
ComplexAbs = kernel("ComplexAbs", algebraic.abs, "x Tout:>=tf.float32")
Conj = kernel("Conj", complex_number.conj, "input:x")
Imag = kernel("Imag", complex_number.imag, "input Tout:>=tf.float32")
Real = kernel("Real", complex_number.real, "input Tout:>=tf.float32")

# Comparison and logic.
Equal = kernel("Equal", comparison.equal, "x y incompatible_shape_error:!=True")
Greater = kernel("Greater", comparison.greater)
GreaterEqual = kernel("GreaterEqual", comparison.greater_equal)
IsFinite = kernel("IsFinite", comparison.is_finite)
IsInf = kernel("IsInf", comparison.is_inf)
IsNan = kernel("IsNan", comparison.is_nan)
Less = kernel("Less", comparison.less)
LessEqual = kernel("LessEqual", comparison.less_equal)
LogicalAnd = kernel("LogicalAnd", comparison.logical_and)
LogicalNot = kernel("LogicalNot", comparison.logical_not)
LogicalOr = kernel("LogicalOr", comparison.logical_or)
NotEqual = kernel("NotEqual", comparison.not_equal, "x y incompatible_shape_error:!=True")
SelectV2 = kernel("SelectV2", gathering.where, "condition t:x e:y")

# Bits.
BitwiseAnd = kernel("BitwiseAnd", bitwise.bitwise_and)
BitwiseOr = kernel("BitwiseOr", bitwise.bitwise_or)
BitwiseXor = kernel("BitwiseXor", bitwise.bitwise_xor)
Invert = kernel("Invert", bitwise.invert)
LeftShift = kernel("LeftShift", bitwise.left_shift)
RightShift = kernel("RightShift", bitwise.right_shift)

# Activations.
Elu = kernel("Elu", activation.elu)
LeakyRelu = kernel("LeakyRelu", activation.leaky_relu, "features alpha=0.2")
LogSoftmax = kernel("LogSoftmax", activation.log_softmax, "logits")
Relu = kernel("Relu", activation.relu)
Relu6 = kernel("Relu6", activation.relu6)
Selu = kernel("Selu", activation.selu)
Softmax = kernel("Softmax", activation.softmax, "logits")
Softplus = kernel("Softplus", activation.softplus)
Softsign = kernel("Softsign", activation.softsign)

# Kernels that return their input.
CheckNumerics = kernel("CheckNumerics", value_assertion.check_numerics)
ClipByValue = kernel("ClipByValue", clip.clip_by_value, "t clip_value_min clip_value_max")
EnsureShape = kernel("EnsureShape", identity.ensure_shape, "input:x shape")
GuaranteeConst = kernel("GuaranteeConst", identity.guarantee_const)
Identity = kernel("Identity", identity.identity)
IdentityN = kernel("IdentityN", identity.identity_n)
OnesLike = kernel("OnesLike", creation.ones_like, "x:input")
Snapshot = kernel("Snapshot", identity.identity)
StopGradient = kernel("StopGradient", identity.stop_gradient)
ZerosLike = kernel("ZerosLike", creation.zeros_like, "x:input")
