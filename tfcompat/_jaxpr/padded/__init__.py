"""Programs for a whole class of sizes: jaxprs with symbolic sizes, evaluated on padded arrays.

A value whose size along an axis is an expression in symbols is held in an array of a fixed physical size. Its logical
part is the prefix along every axis; what lies behind it is arbitrary, infinities and nan included. The symbols' true
sizes are scalars at run time. Each rule masks where what lies behind could reach the logical part, and treats indices
out of bounds as the logical sizes say. Zeros are put in by selection, never by multiplication.
"""
